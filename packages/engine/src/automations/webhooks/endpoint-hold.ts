import { setTimeout as pause } from 'node:timers/promises'
import { countedSince, giveUpBefore, isOpen, nextProbe, type Circuit } from '@skein/core'
import { EndpointStore, LaneStore, together, type HeldEndpoint, type Transaction } from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { disableEndpoint } from './disable-endpoint.ts'

/** Longer than the slowest request and a stalled process. */
export const HOLD_MS = 20_000
/** A request is started only if its answer can be recorded within the hold. */
const LEAST_HOLD_MS = 12_000
const RENEW_AFTER_MS = 4_000
/** While the database is unavailable. */
const RETRY_MS = 500
const GIVE_UP_BATCH = 1_000

type GiveUpCause = 'expired' | 'disabled'

/** Undoes a transaction. */
class HoldLostError extends Error {
  override readonly name = 'HoldLostError'
}

function lostOrThrow(error: unknown): 'lost' {
  if (error instanceof HoldLostError) return 'lost'
  throw error
}

/** A receiver is not blamed for the time in which nothing was sent to it. */
function sinceResumed({ circuit, resumedAt }: HeldEndpoint): Circuit {
  const { failingSince } = circuit
  return failingSince === undefined
    ? circuit
    : { ...circuit, failingSince: countedSince(failingSince, resumedAt) }
}

/** An endpoint that this server holds for a while. Each write checks that it still does. */
export class EndpointHold {
  readonly #engine: EngineResources
  #held: HeldEndpoint
  #until: number

  /** `takenAt` is from before the database was asked for it: the answer may have come late. */
  constructor(engine: EngineResources, held: HeldEndpoint, takenAt: number) {
    this.#engine = engine
    this.#held = { ...held, circuit: sinceResumed(held) }
    this.#until = takenAt + HOLD_MS
  }

  get endpoint(): HeldEndpoint {
    return this.#held
  }

  get circuit(): Circuit {
    return this.#held.circuit
  }

  set circuit(circuit: Circuit) {
    this.#held = { ...this.#held, circuit }
  }

  /** Whether there is time for a request and for recording its answer. */
  get hasTime(): boolean {
    return this.#until - performance.now() >= LEAST_HOLD_MS
  }

  get mustRenew(): boolean {
    return this.#until - performance.now() <= HOLD_MS - RENEW_AFTER_MS
  }

  /**
   * Renews the hold and writes, in one transaction. The statements of the work that don't wait for each other leave with
   * the renewal, in one packet. Tries until the hold is over: an answer that is not recorded means
   * that its event is sent again. Writes nothing if another server holds the endpoint.
   */
  async write<Outcome>(
    work: (transaction: Transaction) => Promise<Outcome>,
    deliveredAt?: number,
  ): Promise<Outcome | 'lost'> {
    for (;;) {
      try {
        return await this.#tryWrite(work, deliveredAt)
      } catch (error) {
        if (performance.now() > this.#until) throw error
        await pause(RETRY_MS)
      }
    }
  }

  async #tryWrite<Outcome>(
    work: (transaction: Transaction) => Promise<Outcome>,
    deliveredAt: number | undefined,
  ): Promise<Outcome | 'lost'> {
    const until = performance.now() + HOLD_MS
    const outcome = await this.#engine.database
      .forTenant(this.#held.tenantId, async (transaction) => {
        const store = new EndpointStore(transaction)
        // Sent together, in this order: what the work does is undone if the endpoint is no longer held.
        const [isKept, done] = await together([
          store.keep(this.#held, { holdMs: HOLD_MS, deliveredAt }),
          work(transaction),
        ])
        if (!isKept) throw new HoldLostError()
        return done
      })
      .catch(lostOrThrow)
    if (outcome !== 'lost') this.#until = until
    return outcome
  }

  /** While the circuit is open, what waits is not tried, so only its age says when to give it up. */
  async giveUpOld(): Promise<void> {
    if (!isOpen(this.circuit)) return
    const before = giveUpBefore(this.#engine.clock.now())
    if (this.countedSince(before) > before) return
    await this.giveUp(before, 'The receiver could not be reached for three days.', 'expired')
  }

  /** Since when something that has waited since then counts as waiting. */
  countedSince(since: number): number {
    return countedSince(since, this.#held.resumedAt)
  }

  /** Turns what has waited since then into dead letters. */
  async giveUp(waitingSince: number, error: string, cause: GiveUpCause): Promise<void> {
    let given: number | 'lost' = GIVE_UP_BATCH
    while (given === GIVE_UP_BATCH) {
      given = await this.write((transaction) =>
        new LaneStore(transaction).giveUp(this.#held.integration, waitingSince, {
          error,
          amount: GIVE_UP_BATCH,
        }),
      )
      if (given !== 'lost') this.countGivenUp(given, cause)
    }
  }

  countGivenUp(amount: number, cause: GiveUpCause): void {
    if (amount > 0) this.#engine.events.emit({ type: 'dead-lettered', amount, cause })
  }

  /** Sends no more, and gives up what waits. */
  async disable(because: string): Promise<void> {
    await this.giveUp(this.#engine.clock.now(), because, 'disabled')
    this.countGivenUp(await disableEndpoint(this.#engine, this.#held, because), 'disabled')
  }

  /** Its owner disabled or deleted it: what was on its way is not sent. */
  async drop(): Promise<void> {
    await this.giveUp(this.#engine.clock.now(), 'The integration was disabled.', 'disabled')
    await this.release()
  }

  async release(): Promise<void> {
    const now = this.#engine.clock.now()
    const notBefore = isOpen(this.circuit) ? nextProbe(this.circuit, now, Math.random()) : now
    await this.#engine.database.forTenant(this.#held.tenantId, (transaction) =>
      new EndpointStore(transaction).release(this.#held, notBefore),
    )
  }
}
