import { SkeinError } from '@skein/contract'
import { addressBlock } from '@skein/core'
import { chargeSignIn } from '@skein/store'
import type { EngineResources } from '../resources.ts'

/** Of each sort. Enough that strangers rarely meet in one, and few enough to be kept whoever tries whatever. */
const SLOTS = 65_536

/** Whoever guesses is slowed down long before whoever opens many browsers. */
const COST_OF_FAILURE = 6

export interface SignInAttempt {
  readonly address: string
  /** Undefined for what was never a key. */
  readonly keyId: string | undefined
}

/**
 * Refuses an attempt when its address or its key has made too many, on all servers together. It is charged as a
 * failure before anything is looked up, so that many at once gain nothing; a good one gets most of that back.
 */
export async function chargeAttempt(engine: EngineResources, attempt: SignInAttempt): Promise<void> {
  const waitMs = await charge(engine, attempt, costOfFailure(engine))
  if (waitMs > 0) {
    throw new SkeinError('RATE_LIMITED', {
      message: 'There were too many attempts to sign in from this address or with this key.',
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

/** Where every attempt is one too many, a single one must still be possible. */
function costOfFailure({ signInsPerMinute }: EngineResources): number {
  return Math.min(COST_OF_FAILURE, signInsPerMinute)
}

function slotsOf({ vault }: EngineResources, { address, keyId }: SignInAttempt): number[] {
  return [
    slotOf(`address ${addressBlock(address)}`),
    ...(keyId === undefined ? [] : [SLOTS + slotOf(`key ${keyId}`)]),
  ]

  // Keyed, or one could choose an address or a key id that shares the slot of somebody else.
  function slotOf(subject: string): number {
    return vault.digests(subject)[0]?.readUInt16BE() ?? 0
  }
}
