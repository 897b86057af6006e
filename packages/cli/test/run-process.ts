import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { CommandRun } from './run-command.ts'

export const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

export interface ProcessRun extends Omit<CommandRun, 'exitCode'> {
  /** Null for one that a signal ended. */
  readonly exitCode: number | null
}

/** Runs `skein …` as a process, as a person's shell does. */
export async function runProcess(
  args: readonly string[],
  place: { readonly env: Readonly<Record<string, string>>; readonly cwd: string; readonly input?: string },
): Promise<ProcessRun> {
  const { env, cwd, input = '' } = place
  const child = spawn(process.execPath, [MAIN, ...args], { env, cwd })
  child.stdin.on('error', () => {
    // It did not want to read.
  })
  child.stdin.end(input)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { stdout, stderr, exitCode }
}
