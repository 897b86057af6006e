import { statSync } from 'node:fs'
import type { RunnerEntry, Skein } from '@skein/client'
import { DevError } from './dev-error.ts'
import type { DevSandbox } from './dev-sandbox.ts'

type Sandboxes = Pick<RunnerEntry, 'sandboxes'>

/** Returns a probe for a runner that is about to start. An earlier one of the same name is still listed. */
export async function expectRunner(
  skein: Pick<Skein, 'runners'>,
): Promise<() => Promise<RunnerEntry | undefined>> {
  const earlier = new Set((await skein.runners()).map(({ startTime }) => startTime))
  return async () =>
    (await skein.runners()).find(({ startTime }) => startTime !== '' && !earlier.has(startTime))
}

/** The user the runner switched to, who owns its folder; undefined if it didn't switch. */
export function findRunnerUser(
  folder: string,
  self = process.getuid?.(),
): { readonly uid: number; readonly gid: number } | undefined {
  const { uid, gid } = statSync(folder)
  return self !== 0 || uid === 0 ? undefined : { uid, gid }
}

export interface UnheldLimit {
  /** Field of the VM profile. */
  readonly field: string
  readonly reason: string
}

/** Machine limits the runner cannot enforce in this sandbox. */
export function findUnheldLimits({ sandboxes }: Sandboxes, sandbox: DevSandbox): UnheldLimit[] {
  const limits = sandboxes.find(({ name }) => name === sandbox)?.limits ?? []
  return limits
    .filter(({ problem }) => problem !== '')
    .map(({ name, problem }) => ({ field: name, reason: problem }))
}

/** Chooses the agents' sandbox. The runner has tested what works here. */
export function chooseSandbox(
  { sandboxes }: Sandboxes,
  wanted: DevSandbox | undefined,
): { readonly sandbox: DevSandbox; readonly warning?: string } {
  const problemOf = (sandbox: DevSandbox): string =>
    sandboxes.find(({ name }) => name === sandbox)?.problem ?? 'it is not offered'
  if (wanted !== undefined) {
    if (problemOf(wanted) === '') return { sandbox: wanted }
    // A runner continues without it and logs that. Here nobody would read it, and no agent would ever start.
    throw new DevError(`The runner cannot offer the sandbox ${wanted}: ${problemOf(wanted)}`)
  }
  const problem = problemOf('bubblewrap')
  if (problem === '') return { sandbox: 'bubblewrap' }
  // A problem of every sandbox, such as a full disk, is no reason to disable the sandbox.
  if (problemOf('process') !== '') {
    return { sandbox: 'bubblewrap', warning: `no agent can start for now: ${problem}` }
  }
  return {
    sandbox: 'process',
    warning: `agents run without a sandbox and can do everything you can, because ${problem}`,
  }
}

/** What to do if the runner has no coding agent. It looks again by itself, so nothing needs a restart. */
export function explainNoBackend({ backends }: Pick<RunnerEntry, 'backends'>): string | undefined {
  if (backends.some(({ problem }) => problem === '')) return undefined
  const problems = backends.map(({ name, problem }) => `\n  backend ${name}: ${problem}`)
  return `no agent can start yet, because the runner has no coding agent. One is enough, and the runner notices it within a minute:${problems.join('')}`
}
