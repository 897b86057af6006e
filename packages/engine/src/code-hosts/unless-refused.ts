import { CodeHostError } from './code-host.ts'

const MAX_PROBLEM_LENGTH = 1000

/** Why the host does not want it: a comment may be gone by now. Empty if it did it. */
export async function unlessRefused(work: () => Promise<void>): Promise<string> {
  try {
    await work()
    return ''
  } catch (error) {
    if (!(error instanceof CodeHostError && error.isFinal)) throw error
    return error.message.slice(0, MAX_PROBLEM_LENGTH)
  }
}
