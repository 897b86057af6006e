import { finished } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { ProcessEnd, SandboxProcess } from '../../sandbox/sandbox.ts'
import type { TurnError } from '../backend.ts'
import type { StderrTail } from './stderr-tail.ts'

/** Long enough for what is left in the pipes, which something else may hold open. */
const DRAIN_PATIENCE_MS = 300

/** The end of a process, after all its output was read. */
export async function awaitDrainedEnd({ ended, stdout, stderr }: SandboxProcess): Promise<ProcessEnd> {
  const end = await ended
  const drained = [stdout, stderr].map((stream) => finished(stream, { cleanup: true }).catch(() => undefined))
  await Promise.race([Promise.all(drained), pause(DRAIN_PATIENCE_MS, undefined, { ref: false })])
  return end
}

/** What a program's unexpected end means for its turn. */
export function errorOfEnd(
  name: string,
  { code, signal }: ProcessEnd,
  stderr: StderrTail | undefined,
): TurnError {
  const how = signal === null ? `with code ${code}` : `by ${signal}`
  const message = `${name} ended ${how}. ${stderr?.lastLines() ?? ''}`.trim()
  return { kind: code === 127 ? 'program-missing' : 'crash', message }
}
