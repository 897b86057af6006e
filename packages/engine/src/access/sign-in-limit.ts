import { SkeinError } from '@skein/contract'
import { addressBlock } from '@skein/core'
import { chargeSignIn } from '@skein/store'
import type { EngineResources } from '../resources.ts'

/** Per kind of slot. Enough to make collisions rare, and a fixed number, so that attempts cannot grow the table. */
const SLOTS = 65_536

/** Failures cost more, so guessing is throttled long before somebody who opens many browsers. */
const COST_OF_FAILURE = 6

export interface SignInAttempt {
  readonly address: string
  /** Undefined if the text cannot be a key. */
  readonly keyId: string | undefined
}

/**
 * Rejects an attempt when its address or key has made too many, across all servers. It is charged as a failure
 * before any lookup, so parallel attempts gain nothing. A successful one is mostly refunded.
 */
export async function chargeAttempt(engine: EngineResources, attempt: SignInAttempt): Promise<void> {
  const waitMs = await charge(engine, attempt, costOfFailure(engine))
  if (waitMs > 0) {
    throw new SkeinError('RATE_LIMITED', {
      message: 'Too many sign-in attempts from this address or with this key.',
      retryDelayMs: waitMs,
    })
  }
}

export async function forgiveAttempt(engine: EngineResources, attempt: SignInAttempt): Promise<void> {
  await charge(engine, attempt, 1 - costOfFailure(engine))
}

async function charge(engine: EngineResources, attempt: SignInAttempt, cost: number): Promise<number> {
  const { database, clock, signInsPerMinute: perMinute } = engine
  if (perMinute === 0 || cost === 0) return 0
  const slots = slotsOf(engine, attempt)
  return database.statement((transaction) =>
    chargeSignIn(transaction, { slots, cost, perMinute, at: clock.now() }),
  )
}

/** With a limit below the cost of a failure, one attempt must still be possible. */
function costOfFailure({ signInsPerMinute }: EngineResources): number {
  return Math.min(COST_OF_FAILURE, signInsPerMinute)
}

function slotsOf({ vault }: EngineResources, { address, keyId }: SignInAttempt): number[] {
  return [
    slotOf(`address ${addressBlock(address)}`),
    ...(keyId === undefined ? [] : [SLOTS + slotOf(`key ${keyId}`)]),
  ]

  // Keyed with a secret, so that nobody can pick an address or key id that shares someone else's slot.
  function slotOf(subject: string): number {
    return vault.digests(subject)[0]?.readUInt16BE() ?? 0
  }
}
