import { finished } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { ProcessEnd, SandboxProcess } from '../../sandbox/sandbox.ts'

/** Long enough for what is left in the pipes, which something else may hold open. */
const DRAIN_PATIENCE_MS = 300

/** The end of a process, after all its output was read. */
export async function awaitDrainedEnd({ ended, stdout, stderr }: SandboxProcess): Promise<ProcessEnd> {
  const end = await ended
  const drained = [stdout, stderr].map((stream) => finished(stream, { cleanup: true }).catch(() => undefined))
  await Promise.race([Promise.all(drained), pause(DRAIN_PATIENCE_MS, undefined, { ref: false })])
  return end
}

export function describeEnd({ code, signal }: ProcessEnd): string {
  return signal === null ? `with code ${code}` : `by ${signal}`
}
