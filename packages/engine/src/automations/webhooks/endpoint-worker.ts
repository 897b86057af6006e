import { setTimeout as pause } from 'node:timers/promises'
import {
  decideAnswer,
  giveUpBefore,
  isDead,
  isOpen,
  nextProbe,
  wantsAgent,
  wantsEvent,
  type AnswerDecision,
} from '@skein/core'
import {
  DeliveryLog,
  EndpointStore,
  LaneStore,
  type DeliveryRecord,
  type DueLane,
  type HeldEndpoint,
  type LaneProgress,
  type LaneRef,
  type SentEvent,
  type Transaction,
} from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { findReceiver, type Receiver } from './destinations.ts'
import { disableEndpoint } from './disable-endpoint.ts'
import type { Post } from './post.ts'
import { sendEvent } from './send-event.ts'
import { sendTest } from './send-test.ts'

/** Longer than the slowest request and a stalled process. */
export const HOLD_MS = 20_000
/** A request is started only if its answer can be recorded within the hold. */
const LEAST_HOLD_MS = 12_000
const RENEW_AFTER_MS = 4_000

/** How many agents' events go to one receiver at the same time. */
const MAX_LANES = 8
/** Read at once for each lane. */
const MAX_EVENTS = 20
/** Answers that arrive this close together are recorded together. */
const GATHER_MS = 4
/** How long answers are awaited before looking for new lanes. */
const LOOK_EVERY_MS = 250
/** After this, other endpoints get their turn. */
const MAX_TURN_MS = 60_000
const GIVE_UP_BATCH = 1_000
/** While the database is unavailable. */
const RETRY_MS = 500

type GiveUpCause = 'expired' | 'disabled'

/** An answer that has not been recorded yet. */
interface Result {
  readonly lane: ActiveLane
  readonly decision: AnswerDecision
  readonly record: DeliveryRecord | undefined
}

/** A lane whose events are being sent. */
interface ActiveLane extends DueLane {
  readonly rest: readonly SentEvent[]
}

/**
 * Sends what is due to one endpoint that this server holds. One event of each lane at a time: the next is sent only after
 * the answer to the previous one was recorded, so that an event can be repeated only if its answer was lost.
 */
export class EndpointWorker {
  readonly #engine: EngineResources
  readonly #post: Post
  readonly #active = new Map<string, ActiveLane>()
  #held: HeldEndpoint
  #heldUntil = performance.now() + HOLD_MS
  #results: Result[] = []
  #notifyResult: (() => void) | undefined
  #isLost = false
  /** Whether the circuit was open since lanes were last told not to wait. */
  #wasOpen: boolean
  #isStopping = false
  /** One request may test a receiver whose circuit was open when the turn began. */
  #mayProbe: boolean

  constructor(engine: EngineResources, post: Post, held: HeldEndpoint) {
    this.#engine = engine
    this.#post = post
    this.#held = held
    this.#mayProbe = isOpen(held.circuit)
    this.#wasOpen = isOpen(held.circuit)
  }

  /** Until nothing is due, the hold is lost, or the turn is over. What was begun is finished and recorded. */
  async run(signal: AbortSignal): Promise<void> {
    const turnEnds = performance.now() + MAX_TURN_MS
    await sendTest(this.#engine, this.#post, this.#held)
    await this.#giveUpOld()
    for (;;) {
      this.#isStopping ||= signal.aborted || performance.now() > turnEnds
      const receiver = await this.#startDue()
      if (receiver === 'none') return this.#dropAll()
      if (this.#active.size === 0) break
      await this.#someResult()
      const disabled = await this.#record()
      if (this.#isLost) return
      if (disabled !== undefined) return this.#disable(disabled)
    }
    await this.#release()
  }

  /** Returns `none` if the integration was disabled or deleted. */
  async #startDue(): Promise<'none' | undefined> {
    const free = this.#freeLanes()
    if (free <= 0) return undefined
    const { integration: name, tenantId } = this.#held
    try {
      const { receiver, lanes } = await this.#engine.database.forTenant(tenantId, async (transaction) => ({
        receiver: await findReceiver(this.#engine, transaction, this.#held),
        lanes: await new LaneStore(transaction).due(name, {
          lanes: free,
          events: MAX_EVENTS,
          except: [...this.#active.values()],
        }),
      }))
      if (!receiver) return this.#active.size === 0 ? 'none' : undefined
      for (const lane of lanes) this.#continue(receiver, { ...lane, rest: lane.events })
      return undefined
    } catch (error) {
      // Answers that are still to come must be recorded all the same.
      if (this.#active.size === 0) throw error
      this.#isStopping = true
      return undefined
    }
  }

  #freeLanes(): number {
    if (this.#isStopping || this.#heldUntil - performance.now() < LEAST_HOLD_MS) return 0
    if (!isOpen(this.#held.circuit)) return MAX_LANES - this.#active.size
    if (!this.#mayProbe || this.#active.size > 0) return 0
    this.#mayProbe = false
    return 1
  }

  /** Sends the lane's next event that is wanted, and skips the others. */
  #continue(receiver: Receiver, lane: ActiveLane): void {
    this.#active.set(keyOf(lane), lane)
    const isWanted = wantsAgent(receiver.integration, lane)
    const index = isWanted
      ? lane.rest.findIndex(({ event }) => wantsEvent(receiver.integration, event.type))
      : -1
    const event = lane.rest[index]
    if (!event) return this.#skip(lane)
    const rest = lane.rest.slice(index + 1)
    const now = () => this.#engine.clock.now()
    void sendEvent(this.#post, receiver, lane, event, now()).then(({ answer, record }) => {
      const { attempts, waitingSince } = lane
      const decision = decideAnswer(
        { sequence: event.sequence, attempts, waitingSince },
        this.#held.circuit,
        answer,
        { now: now(), random: Math.random() },
      )
      this.#held = { ...this.#held, circuit: decision.circuit }
      this.#engine.events.emit({
        type: 'delivery-attempted',
        outcome: answer.type,
        latencyMs: record.latencyMs,
      })
      this.#add({ lane: { ...lane, rest }, decision, record })
    })
  }

  /** Nothing in what was read is wanted: go on behind it. */
  #skip(lane: ActiveLane): void {
    const last = lane.rest.at(-1)?.sequence ?? lane.lastSequence
    const now = this.#engine.clock.now()
    this.#add({
      lane: { ...lane, rest: [] },
      record: undefined,
      decision: {
        circuit: this.#held.circuit,
        lane: { type: 'continue', nextSequence: last + 1n, attempts: 0, waitingSince: now, dueAt: now },
      },
    })
  }

  #add(result: Result): void {
    this.#results.push(result)
    this.#notifyResult?.()
  }

  async #someResult(): Promise<void> {
    if (this.#results.length === 0) {
      const late = new AbortController()
      const arrival = new Promise<void>((resolve) => void (this.#notifyResult = resolve))
      const patience = pause(LOOK_EVERY_MS, undefined, { signal: late.signal }).catch(() => undefined)
      await Promise.race([arrival, patience])
      late.abort()
      this.#notifyResult = undefined
    }
    if (this.#results.length > 0 && this.#results.length < this.#active.size) await pause(GATHER_MS)
  }

  /** Records all answers in one transaction, if this server still holds the endpoint. Then their lanes go on. */
  async #record(): Promise<string | undefined> {
    const results = this.#results
    if (results.length === 0 && this.#heldUntil - performance.now() > HOLD_MS - RENEW_AFTER_MS)
      return undefined
    this.#results = []
    let until = 0
    const receiver = await this.#persistently(async (transaction) => {
      until = performance.now() + HOLD_MS
      const deliveredAt = results.findLast(({ record }) => record?.error === '')?.record?.at
      const isKept = await new EndpointStore(transaction).keep(this.#held, { holdMs: HOLD_MS, deliveredAt })
      if (!isKept) return 'lost' as const
      await this.#write(transaction, results)
      return results.length === 0 ? undefined : findReceiver(this.#engine, transaction, this.#held)
    })
    if (receiver === 'lost') {
      this.#isLost = true
      return undefined
    }
    this.#heldUntil = until
    this.#countGivenUp(results.filter(({ decision }) => decision.lane.type === 'give-up').length, 'expired')
    for (const result of results) this.#proceed(result, receiver)
    return (
      results.find(({ decision }) => decision.disable !== undefined)?.decision.disable ?? this.#deadReason()
    )
  }

  /** Tries until the hold is over: an answer that is not recorded means that its event is sent again. */
  async #persistently<Outcome>(work: (transaction: Transaction) => Promise<Outcome>): Promise<Outcome> {
    for (;;) {
      try {
        return await this.#engine.database.forTenant(this.#held.tenantId, work)
      } catch (error) {
        if (performance.now() > this.#heldUntil) throw error
        await pause(RETRY_MS)
      }
    }
  }

  async #write(transaction: Transaction, results: readonly Result[]): Promise<void> {
    const { integration, circuit } = this.#held
    const lanes = new LaneStore(transaction)
    const moved: LaneProgress[] = []
    for (const { lane, decision } of results) {
      if (decision.lane.type === 'continue') moved.push({ ...refOf(lane), ...progressOf(decision.lane) })
      else await lanes.giveUpOne(integration, lane, decision.lane.error)
    }
    await lanes.move(integration, moved)
    await new DeliveryLog(transaction).add(
      integration,
      results.flatMap(({ record }) => record ?? []),
    )
    if (isOpen(circuit)) this.#wasOpen = true
    else if (this.#wasOpen) {
      await lanes.hurry(integration)
      this.#wasOpen = false
    }
  }

  /** Goes on with the events already read, unless something says that they must be looked at again. */
  #proceed({ lane, decision }: Result, receiver: Receiver | undefined): void {
    this.#active.delete(keyOf(lane))
    const outcome = decision.lane
    const isDelivered = outcome.type === 'continue' && outcome.attempts === 0
    if (!receiver || !isDelivered || lane.rest.length === 0 || this.#isStopping) return
    if (isOpen(this.#held.circuit) || this.#heldUntil - performance.now() < LEAST_HOLD_MS) return
    this.#continue(receiver, { ...lane, attempts: 0, waitingSince: outcome.waitingSince })
  }

  #deadReason(): string | undefined {
    return isDead(this.#held.circuit, this.#engine.clock.now())
      ? 'Every request has failed for five days.'
      : undefined
  }

  /** What could not be sent for about three days becomes a dead letter. */
  #giveUpOld(): Promise<void> {
    return this.#giveUp(
      giveUpBefore(this.#engine.clock.now()),
      'The receiver could not be reached for three days.',
      'expired',
    )
  }

  async #giveUp(waitingSince: number, error: string, cause: GiveUpCause): Promise<void> {
    const { tenantId, integration } = this.#held
    let given = GIVE_UP_BATCH
    while (given === GIVE_UP_BATCH) {
      given = await this.#engine.database.forTenant(tenantId, async (transaction) => {
        const store = new EndpointStore(transaction)
        if (!(await store.keep(this.#held, { holdMs: HOLD_MS, deliveredAt: undefined }))) return 0
        return new LaneStore(transaction).giveUp(integration, waitingSince, { error, amount: GIVE_UP_BATCH })
      })
      this.#countGivenUp(given, cause)
    }
  }

  #countGivenUp(amount: number, cause: GiveUpCause): void {
    if (amount > 0) this.#engine.events.emit({ type: 'dead-lettered', amount, cause })
  }

  async #disable(because: string): Promise<void> {
    await this.#giveUp(this.#engine.clock.now(), because, 'disabled')
    await disableEndpoint(this.#engine, this.#held, because)
  }

  /** Disabled or deleted by its owner: what was on its way is not sent. */
  async #dropAll(): Promise<void> {
    await this.#giveUp(this.#engine.clock.now(), 'The integration was disabled.', 'disabled')
    await this.#release()
  }

  async #release(): Promise<void> {
    const now = this.#engine.clock.now()
    const { circuit, tenantId } = this.#held
    const notBefore = isOpen(circuit) ? nextProbe(circuit, now, Math.random()) : now
    await this.#engine.database.forTenant(tenantId, (transaction) =>
      new EndpointStore(transaction).release(this.#held, notBefore),
    )
  }
}

function keyOf({ agentId, replayId }: LaneRef): string {
  return `${agentId}/${replayId}`
}

function refOf({ agentId, replayId }: LaneRef): LaneRef {
  return { agentId, replayId }
}

function progressOf({
  nextSequence,
  attempts,
  waitingSince,
  dueAt,
}: Omit<LaneProgress, keyof LaneRef>): Omit<LaneProgress, keyof LaneRef> {
  return { nextSequence, attempts, waitingSince, dueAt }
}
