import { setTimeout as pause } from 'node:timers/promises'
import { ProviderUnreachable } from './provider-unreachable.ts'

/** A person waits for all of it together, and each single request may take ten seconds. */
const DEADLINE_MS = 20_000

/** Its requests end by themselves; nobody waits for them. */
export async function withDeadline<Value>(work: Promise<Value>): Promise<Value> {
  const timer = new AbortController()
  try {
    return await Promise.race([
      work,
      pause(DEADLINE_MS, undefined, { signal: timer.signal }).then(() => {
        throw new ProviderUnreachable('It did not answer within 20 seconds.')
      }),
    ])
  } finally {
    timer.abort()
  }
}
