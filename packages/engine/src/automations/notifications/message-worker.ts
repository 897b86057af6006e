import { setTimeout as pause } from 'node:timers/promises'
import {
  decideAnswer,
  giveUpBefore,
  isDead,
  isOpen,
  nextProbe,
  TOLD_TYPES,
  type AnswerDecision,
} from '@skein/core'
import {
  DeliveryLog,
  EndpointStore,
  LaneStore,
  MessageStore,
  takeMailAllowance,
  type HeldEndpoint,
  type MessageLane,
  type Transaction,
} from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import type { EngineResources } from '../../resources.ts'
import { findReceiver, type Receiver } from '../webhooks/destinations.ts'
import { disableEndpoint } from '../webhooks/disable-endpoint.ts'
import { HOLD_MS } from '../webhooks/endpoint-hold.ts'
import { sendMessage, type Senders, type SentMessage } from './send-message.ts'
import { sendTestMessage } from './send-test-message.ts'
import { toNotices, type ToldNotice } from './to-notices.ts'

/** What goes into one message at most: everything in it is logged. */
const BOUNDS = { lanes: 50, span: 500, told: 10, types: TOLD_TYPES }
/** After this, other endpoints get their turn. */
const MAX_TURN_MS = 60_000
const GIVE_UP_BATCH = 1_000
/** What a hold leaves after the longest request. */
const RECORD_MS = 8_000
/** While the database is unavailable. */
const RETRY_MS = 500
const HOUR_MS = 60 * 60 * 1000

/** A message whose events are noted: it may be sent. */
interface Composed {
  readonly id: string
  readonly lanes: readonly MessageLane[]
  readonly receiver: Receiver
  readonly told: readonly ToldNotice[]
  readonly settled: readonly string[]
}

type Next =
  | { readonly type: 'message'; readonly message: Composed }
  /** Something was moved on without sending. */
  | { readonly type: 'again' }
  | { readonly type: 'idle' }
  /** Another server holds the endpoint. */
  | { readonly type: 'lost' }
  /** The integration was disabled or deleted. */
  | { readonly type: 'gone' }

type SendResult =
  | { readonly type: 'recorded' }
  | { readonly type: 'lost' }
  | { readonly type: 'disable'; readonly because: string }

/**
 * Sends messages for people to one endpoint that this server holds, one at a time. Which events are in a message is
 * written before it is sent, and that they were sent together with the answer. So a message can be repeated only if its
 * answer was lost, and then with the same events and the same id (docs/adr/0047).
 */
export class MessageWorker {
  readonly #engine: EngineResources
  readonly #senders: Senders
  #held: HeldEndpoint
  #wasOpen: boolean

  constructor(engine: EngineResources, senders: Senders, held: HeldEndpoint) {
    this.#engine = engine
    this.#senders = senders
    this.#held = held
    this.#wasOpen = isOpen(held.circuit)
  }

  async run(signal: AbortSignal): Promise<void> {
    const turnEnds = performance.now() + MAX_TURN_MS
    await sendTestMessage(this.#engine, this.#senders, this.#held)
    await this.#giveUp(
      giveUpBefore(this.#engine.clock.now()),
      'The receiver could not be reached for three days.',
      'expired',
    )
    while (!signal.aborted && performance.now() < turnEnds) {
      const next = await this.#inHold((transaction) => this.#next(transaction))
      if (next.type === 'lost') return
      if (next.type === 'gone') {
        await this.#giveUp(this.#engine.clock.now(), 'The integration was disabled.', 'disabled')
        break
      }
      if (next.type === 'idle') break
      if (next.type === 'again') continue
      const result = await this.#send(next.message)
      if (result.type === 'lost') return
      if (result.type === 'disable') return this.#disable(result.because)
      // One message tests a receiver that fails.
      if (isOpen(this.#held.circuit)) break
    }
    await this.#release()
  }

  /** Begins each transaction of the holder: it ends the work of a server that holds the endpoint no more. */
  #inHold(work: (transaction: Transaction) => Promise<Next>, deliveredAt?: number): Promise<Next> {
    return this.#engine.database.forTenant(this.#held.tenantId, async (transaction) => {
      const isKept = await new EndpointStore(transaction).keep(this.#held, { holdMs: HOLD_MS, deliveredAt })
      return isKept ? work(transaction) : { type: 'lost' }
    })
  }

  async #next(transaction: Transaction): Promise<Next> {
    const receiver = await findReceiver(this.#engine, transaction, this.#held)
    if (!receiver) return { type: 'gone' }
    const { integration } = this.#held
    const messages = new MessageStore(transaction)
    const begun = await messages.due(integration, TOLD_TYPES)
    const id = begun?.id ?? uuidV7()
    const lanes = begun?.lanes ?? (await messages.waiting(integration, BOUNDS))
    if (lanes.length === 0) return { type: 'idle' }
    if (!begun) await messages.compose(integration, id, lanes)
    const told = toNotices(receiver, lanes, this.#engine.publicUrl)
    if (told.length === 0) {
      await messages.finish(integration, id, 0)
      return { type: 'again' }
    }
    const settled = lanes[0]?.settled ?? []
    if (!(await this.#mayMail(transaction, receiver, settled))) {
      const attempts = lanes[0]?.attempts ?? 0
      await messages.postpone(integration, id, { attempts, dueAt: this.#nextHour(), settled })
      return { type: 'again' }
    }
    return { type: 'message', message: { id, lanes, receiver, told, settled } }
  }

  /** Counted before it is sent, so that failures cannot be used to send more. */
  async #mayMail(
    transaction: Transaction,
    { integration: { type, to } }: Receiver,
    settled: readonly string[],
  ): Promise<boolean> {
    const { mailer } = this.#senders
    if (type !== 'email' || !mailer) return true
    const amount = to.filter((address) => !settled.includes(address)).length
    return amount === 0 || takeMailAllowance(transaction, { amount, perHour: mailer.perHour })
  }

  #nextHour(): number {
    const now = this.#engine.clock.now()
    return now - (now % HOUR_MS) + HOUR_MS
  }

  async #send(message: Composed): Promise<SendResult> {
    const { receiver, told, id, settled, lanes } = message
    const at = this.#engine.clock.now()
    const content = { id, settled, notices: told.map(({ notice }) => notice), url: this.#engine.publicUrl }
    const sent = await sendMessage(this.#senders, receiver, content, at)
    const now = this.#engine.clock.now()
    const [first] = lanes
    const decision = decideAnswer(
      { sequence: 0n, attempts: first?.attempts ?? 0, waitingSince: first?.waitingSince ?? now },
      this.#held.circuit,
      sent.answer,
      { now, random: Math.random() },
    )
    this.#held = { ...this.#held, circuit: decision.circuit }
    this.#engine.events.emit({
      type: 'delivery-attempted',
      outcome: sent.answer.type,
      latencyMs: sent.logged.latencyMs,
    })
    const deliveredAt = sent.answer.type === 'delivered' ? at : undefined
    const recorded = await this.#persistently(() =>
      this.#inHold(async (transaction) => {
        await this.#record(transaction, message, { sent, decision, at })
        return { type: 'again' }
      }, deliveredAt),
    )
    if (recorded.type === 'lost') return { type: 'lost' }
    if (decision.lane.type === 'give-up') {
      this.#engine.events.emit({ type: 'dead-lettered', amount: lanes.length, cause: 'expired' })
    }
    const dead = isDead(decision.circuit, now) ? 'Every message has failed for five days.' : undefined
    const because = decision.disable ?? dead
    return because === undefined ? { type: 'recorded' } : { type: 'disable', because }
  }

  /** Tries until the hold is over: an answer that is not recorded means that its message is sent again. */
  async #persistently<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
    const until = performance.now() + RECORD_MS
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (performance.now() > until) throw error
        await pause(RETRY_MS)
      }
    }
  }

  async #record(
    transaction: Transaction,
    { id, lanes, told, receiver }: Composed,
    {
      sent,
      decision,
      at,
    }: { readonly sent: SentMessage; readonly decision: AnswerDecision; readonly at: number },
  ): Promise<void> {
    const { integration } = this.#held
    const messages = new MessageStore(transaction)
    const { lane } = decision
    if (sent.answer.type === 'delivered') {
      await messages.finish(integration, id, receiver.integration.groupSeconds * 1000)
    } else if (lane.type === 'give-up') await messages.giveUp(integration, id, lane.error)
    else {
      const { attempts, dueAt } = lane
      await messages.postpone(integration, id, { attempts, dueAt, settled: sent.settled })
    }
    await new DeliveryLog(transaction).add(
      integration,
      told.map(({ lane: { agentId }, sequence, eventType }, index) => ({
        id: uuidV7(),
        at,
        agentId,
        sequence,
        eventType,
        attempt: (lanes[0]?.attempts ?? 0) + 1,
        ...sent.logged,
        // The same for all of them, so once is enough.
        response: index === 0 ? sent.logged.response : '',
        messageId: id,
      })),
    )
    if (isOpen(decision.circuit)) this.#wasOpen = true
    else if (this.#wasOpen) {
      await new LaneStore(transaction).hurry(integration)
      this.#wasOpen = false
    }
  }

  async #giveUp(waitingSince: number, error: string, cause: 'expired' | 'disabled'): Promise<void> {
    const { tenantId, integration } = this.#held
    let given = GIVE_UP_BATCH
    while (given === GIVE_UP_BATCH) {
      given = await this.#engine.database.forTenant(tenantId, async (transaction) => {
        const store = new EndpointStore(transaction)
        if (!(await store.keep(this.#held, { holdMs: HOLD_MS, deliveredAt: undefined }))) return 0
        return new LaneStore(transaction).giveUp(integration, waitingSince, { error, amount: GIVE_UP_BATCH })
      })
      if (given > 0) this.#engine.events.emit({ type: 'dead-lettered', amount: given, cause })
    }
  }

  async #disable(because: string): Promise<void> {
    await this.#giveUp(this.#engine.clock.now(), because, 'disabled')
    await disableEndpoint(this.#engine, this.#held, because)
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
