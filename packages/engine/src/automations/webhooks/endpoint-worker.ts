import { decideAnswer, isDead, isOpen, wantsAgent, wantsEvent } from '@skein/core'
import { LaneStore, together, type HeldEndpoint, type LaneRef } from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { Arrivals } from './arrivals.ts'
import type { Receiver } from './destinations.ts'
import { EndpointHold } from './endpoint-hold.ts'
import type { Post } from './post.ts'
import { ReceiverSource } from './receiver-source.ts'
import { sendEvent } from './send-event.ts'
import { sendTest } from './send-test.ts'
import { writeAnswers, type ActiveLane, type Result } from './write-answers.ts'

/** How many agents' events go to one receiver at the same time. */
const MAX_LANES = 8
/** Read at once for each lane. */
const MAX_EVENTS = 20
/** Answers that arrive this close together are recorded together; so long they are awaited before looking for new lanes. */
const WAIT = { gatherMs: 4, patienceMs: 250 }
/** After this, other endpoints get their turn. */
const MAX_TURN_MS = 60_000
const NOTHING = Promise.resolve(undefined)

/**
 * Sends what is due to one endpoint that this server holds. One event of each lane at a time: the next is sent only after
 * the answer to the previous one was recorded, so that an event can be repeated only if its answer was lost.
 */
export class EndpointWorker {
  readonly #engine: EngineResources
  readonly #post: Post
  readonly #hold: EndpointHold
  readonly #receivers: ReceiverSource
  readonly #active = new Map<string, ActiveLane>()
  readonly #results = new Arrivals<Result>()
  #isLost = false
  /** Whether the circuit was open since lanes were last told not to wait. */
  #wasOpen: boolean
  #isStopping = false
  /** One request may test a receiver whose circuit was open when the turn began. */
  #mayProbe: boolean

  constructor(engine: EngineResources, post: Post, held: HeldEndpoint, takenAt: number) {
    this.#engine = engine
    this.#post = post
    this.#hold = new EndpointHold(engine, held, takenAt)
    this.#receivers = new ReceiverSource(engine, held)
    this.#mayProbe = isOpen(held.circuit)
    this.#wasOpen = isOpen(held.circuit)
  }

  /** Until nothing is due, the hold is lost, or the turn is over. What was begun is finished and recorded. */
  async run(signal: AbortSignal): Promise<void> {
    const turnEnds = performance.now() + MAX_TURN_MS
    await sendTest(this.#engine, this.#post, this.#hold.endpoint)
    await this.#hold.giveUpOld()
    for (;;) {
      this.#isStopping ||= signal.aborted || performance.now() > turnEnds
      if ((await this.#startDue()) === 'none') return this.#hold.drop()
      if (this.#active.size === 0) break
      await this.#results.some(this.#active.size, WAIT)
      const disabled = await this.#record()
      if (this.#isLost) return
      if (disabled !== undefined) return this.#hold.disable(disabled)
    }
    await this.#hold.release()
  }

  /** Returns `none` if the integration was disabled or deleted. */
  async #startDue(): Promise<'none' | undefined> {
    const free = this.#freeLanes()
    if (free <= 0) return undefined
    const { integration, tenantId } = this.#hold.endpoint
    try {
      const [receiver, lanes] = await this.#engine.database.forTenant(tenantId, (transaction) =>
        together([
          this.#receivers.find(transaction),
          new LaneStore(transaction).due(integration, {
            lanes: free,
            events: MAX_EVENTS,
            except: [...this.#active.values()],
          }),
        ]),
      )
      if (!receiver) return this.#active.size === 0 ? 'none' : undefined
      // Reading can take long while the database is busy: by now, another server may be about to send the same.
      if (!this.#hold.hasTime) return undefined
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
    if (this.#isStopping || !this.#hold.hasTime) return 0
    if (!isOpen(this.#hold.circuit)) return MAX_LANES - this.#active.size
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
      const { attempts } = lane
      const waitingSince = this.#hold.countedSince(lane.waitingSince)
      const decision = decideAnswer(
        { sequence: event.sequence, attempts, waitingSince },
        this.#hold.circuit,
        answer,
        { now: now(), random: Math.random() },
      )
      this.#hold.circuit = decision.circuit
      this.#engine.events.emit({
        type: 'delivery-attempted',
        outcome: answer.type,
        latencyMs: record.latencyMs,
      })
      this.#results.add({ lane: { ...lane, rest }, decision, record })
    })
  }

  /** Nothing in what was read is wanted: go on behind it. */
  #skip(lane: ActiveLane): void {
    const last = lane.rest.at(-1)?.sequence ?? lane.lastSequence
    const now = this.#engine.clock.now()
    this.#results.add({
      lane: { ...lane, rest: [] },
      record: undefined,
      decision: {
        circuit: this.#hold.circuit,
        lane: { type: 'continue', nextSequence: last + 1n, attempts: 0, waitingSince: now, dueAt: now },
      },
    })
  }

  /** Records all answers in one transaction, if this server still holds the endpoint. Then their lanes go on. */
  async #record(): Promise<string | undefined> {
    const results = this.#results.takeAll()
    if (results.length === 0 && !this.#hold.mustRenew) return undefined
    const { integration } = this.#hold.endpoint
    const deliveredAt = results.findLast(({ record }) => record?.error === '')?.record?.at
    const isOpenNow = isOpen(this.#hold.circuit)
    const receiver = await this.#hold.write(async (transaction) => {
      const [, found] = await together([
        writeAnswers(transaction, integration, results),
        results.length === 0 ? NOTHING : this.#receivers.find(transaction),
        this.#wasOpen && !isOpenNow ? new LaneStore(transaction).hurry(integration) : NOTHING,
      ])
      return found
    }, deliveredAt)
    if (receiver === 'lost') {
      this.#isLost = true
      return undefined
    }
    this.#wasOpen = isOpenNow
    const givenUp = results.filter(({ decision }) => decision.lane.type === 'give-up')
    this.#hold.countGivenUp(givenUp.length, 'expired')
    for (const result of results) this.#proceed(result, receiver)
    const disabled = results.find(({ decision }) => decision.disable !== undefined)
    return disabled?.decision.disable ?? this.#deadReason()
  }

  /** Goes on with the events already read, unless something says that they must be looked at again. */
  #proceed({ lane, decision }: Result, receiver: Receiver | undefined): void {
    this.#active.delete(keyOf(lane))
    const outcome = decision.lane
    if (!receiver || outcome.type !== 'continue' || lane.rest.length === 0 || this.#isStopping) return
    if (isOpen(this.#hold.circuit) || !this.#hold.hasTime) return
    this.#continue(receiver, { ...lane, attempts: 0, waitingSince: outcome.waitingSince })
  }

  #deadReason(): string | undefined {
    return isDead(this.#hold.circuit, this.#engine.clock.now())
      ? 'Every request has failed for five days.'
      : undefined
  }
}

function keyOf({ agentId, replayId }: LaneRef): string {
  return `${agentId}/${replayId}`
}
