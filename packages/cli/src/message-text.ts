import { readStdin } from './ask.ts'
import type { Io } from './io.ts'
import { UsageError } from './command-line/usage-error.ts'

/** The words after the command, or standard input if there are none. */
export async function messageFrom(io: Io, words: readonly string[]): Promise<string> {
  const isPiped = words.length === 0 || (words.length === 1 && words[0] === '-')
  if (isPiped && io.canAsk && words.length === 0) {
    throw new UsageError('The task is missing.', 'Put it after the command, in quotes.')
  }
  const message = isPiped ? (await readStdin(io)).trim() : words.join(' ')
  if (message === '') throw new UsageError('The message is empty.', 'Put it after the command, in quotes.')
  return message
}
