import { decideAnswer, giveUpBefore, isDead, isOpen, TOLD_TYPES, type AnswerDecision } from '@skein/core'
import {
  DeliveryLog,
  LaneStore,
  MessageStore,
  takeMailAllowance,
  type DeliveryRecord,
  type HeldEndpoint,
  type MessageLane,
  type Transaction,
} from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import type { EngineResources } from '../../resources.ts'
import type { Receiver } from '../webhooks/destinations.ts'
import { EndpointHold } from '../webhooks/endpoint-hold.ts'
import { ReceiverSource } from '../webhooks/receiver-source.ts'
import { sendMessage, type Senders, type SentMessage } from './send-message.ts'
import { sendTestMessage } from './send-test-message.ts'
import { toNotices, type ToldNotice } from './to-notices.ts'

/** What goes into one message at most: everything in it is logged. */
const BOUNDS = { lanes: 50, span: 500, told: 10, types: TOLD_TYPES }
/** After this, other endpoints get their turn. */
const MAX_TURN_MS = 60_000
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
  readonly #hold: EndpointHold
  readonly #receivers: ReceiverSource
  #wasOpen: boolean

  constructor(engine: EngineResources, senders: Senders, held: HeldEndpoint, takenAt: number) {
    this.#engine = engine
    this.#senders = senders
    this.#hold = new EndpointHold(engine, held, takenAt)
    this.#receivers = new ReceiverSource(engine, held)
    this.#wasOpen = isOpen(held.circuit)
  }

  async run(signal: AbortSignal): Promise<void> {
    const turnEnds = performance.now() + MAX_TURN_MS
    await sendTestMessage(this.#engine, this.#senders, this.#hold.endpoint)
    await this.#hold.giveUpOld()
    while (!signal.aborted && performance.now() < turnEnds) {
      const next = await this.#hold.write((transaction) => this.#next(transaction))
      if (next === 'lost') return
      if (next.type === 'gone') return this.#hold.drop()
      if (next.type === 'idle') break
      if (next.type === 'again') continue
      if (!this.#hold.hasTime && (await this.#hold.write(nothing)) === 'lost') return
      const result = await this.#send(next.message)
      if (result.type === 'lost') return
      if (result.type === 'disable') return this.#hold.disable(result.because)
      // One message tests a receiver that fails.
      if (isOpen(this.#hold.circuit)) break
    }
    await this.#hold.release()
  }

  async #next(transaction: Transaction): Promise<Next> {
    const receiver = await this.#receivers.find(transaction)
    if (!receiver) return { type: 'gone' }
    const { integration } = this.#hold.endpoint
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
      await this.#postpone(messages, id, lanes)
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

  /** Until the next hour, for as long as anything is retried. */
  async #postpone(messages: MessageStore, id: string, [first]: readonly MessageLane[]): Promise<void> {
    const { integration } = this.#hold.endpoint
    const now = this.#engine.clock.now()
    if (!first || this.#hold.countedSince(first.waitingSince) < giveUpBefore(now)) {
      return messages.giveUp(integration, id, 'More e-mail was to be sent than is allowed.')
    }
    const { attempts, settled } = first
    await messages.postpone(integration, id, {
      attempts,
      dueAt: now - (now % HOUR_MS) + HOUR_MS,
      settled,
    })
  }

  async #send(message: Composed): Promise<SendResult> {
    const { receiver, told, id, settled, lanes } = message
    const at = this.#engine.clock.now()
    const content = { id, settled, notices: told.map(({ notice }) => notice), url: this.#engine.publicUrl }
    const sent = await sendMessage(this.#senders, receiver, content, at)
    const now = this.#engine.clock.now()
    const [first] = lanes
    const waitingSince = this.#hold.countedSince(first?.waitingSince ?? now)
    const decision = decideAnswer(
      { sequence: 0n, attempts: first?.attempts ?? 0, waitingSince },
      this.#hold.circuit,
      sent.answer,
      { now, random: Math.random() },
    )
    this.#hold.circuit = decision.circuit
    this.#engine.events.emit({
      type: 'delivery-attempted',
      outcome: sent.answer.type,
      latencyMs: sent.logged.latencyMs,
    })
    const recorded = await this.#record(message, decision, sent, at)
    if (recorded === 'lost') return { type: 'lost' }
    if (decision.lane.type === 'give-up') this.#hold.countGivenUp(lanes.length, 'expired')
    const dead = isDead(decision.circuit, now) ? 'Every message has failed for five days.' : undefined
    const because = decision.disable ?? dead
    return because === undefined ? { type: 'recorded' } : { type: 'disable', because }
  }

  async #record(
    message: Composed,
    decision: AnswerDecision,
    ...[sent, at]: [sent: SentMessage, at: number]
  ): Promise<'lost' | undefined> {
    const { integration } = this.#hold.endpoint
    const isDelivered = sent.answer.type === 'delivered'
    const isOpenNow = isOpen(decision.circuit)
    // Outside of the transaction, which may be repeated although it was committed.
    const records = toRecords(message, sent, at)
    const recorded = await this.#hold.write(
      async (transaction) => {
        await settle(new MessageStore(transaction), integration, message, { sent, decision })
        await new DeliveryLog(transaction).add(integration, records)
        if (this.#wasOpen && !isOpenNow) await new LaneStore(transaction).hurry(integration)
        return undefined
      },
      isDelivered ? at : undefined,
    )
    if (recorded !== 'lost') this.#wasOpen = isOpenNow
    return recorded
  }
}

/** Only renews the hold. */
async function nothing(): Promise<void> {}

/** What the answer means for the events that were in the message. */
async function settle(
  messages: MessageStore,
  integration: string,
  { id, receiver }: Composed,
  { sent, decision: { lane } }: { readonly sent: SentMessage; readonly decision: AnswerDecision },
): Promise<void> {
  if (sent.answer.type === 'delivered') {
    await messages.finish(integration, id, receiver.integration.groupSeconds * 1000)
  } else if (lane.type === 'give-up') await messages.giveUp(integration, id, lane.error)
  else {
    const { attempts, dueAt } = lane
    await messages.postpone(integration, id, { attempts, dueAt, settled: sent.settled })
  }
}

/** One for each event. The response is the same for all of them, so once is enough. */
function toRecords({ id, told, lanes }: Composed, { logged }: SentMessage, at: number): DeliveryRecord[] {
  return told.map(({ lane: { agentId }, sequence, eventType }, index) => ({
    id: uuidV7(),
    at,
    agentId,
    sequence,
    eventType,
    attempt: (lanes[0]?.attempts ?? 0) + 1,
    ...logged,
    response: index === 0 ? logged.response : '',
    messageId: id,
  }))
}
