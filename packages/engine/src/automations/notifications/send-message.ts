import {
  decideMail,
  formatForChat,
  formatForMail,
  readAnswer,
  urlViolations,
  type Answer,
  type Message,
} from '@skein/core'
import type { DeliveryRecord } from '@skein/store'
import { senderOf, type Receiver } from '../webhooks/destinations.ts'
import { ERROR_LENGTH, RESPONSE_LENGTH, storable } from '../webhooks/post-message.ts'
import type { Post } from '../webhooks/post.ts'
import type { Mailer } from './send-mail.ts'

/** How messages leave this server. */
export interface Senders {
  readonly post: Post
  /** Undefined if the operator has not configured a mail server. */
  readonly mailer: Mailer | undefined
}

/** A message with its id, the same for every attempt. */
export interface IdentifiedMessage extends Message {
  readonly id: string
  /** Recipients of e-mail who need no further attempt. */
  readonly settled: readonly string[]
}

export interface SentMessage {
  readonly answer: Answer
  readonly settled: readonly string[]
  readonly logged: Pick<DeliveryRecord, 'status' | 'error' | 'latencyMs' | 'response'>
}

interface Outcome {
  readonly answer: Answer
  readonly settled?: readonly string[]
  readonly status: number
  readonly response: string
}

/** Sends a message to people. Never rejects: an error is an answer too. */
export async function sendMessage(
  senders: Senders,
  receiver: Receiver,
  message: IdentifiedMessage,
  at: number,
): Promise<SentMessage> {
  const begun = performance.now()
  const { answer, settled, status, response } = await trySend(senders, receiver, message, at).catch(failed)
  return {
    answer,
    settled: settled ?? message.settled,
    logged: {
      status,
      error: answer.type === 'delivered' ? '' : storable(answer.error, ERROR_LENGTH),
      latencyMs: Math.round(performance.now() - begun),
      response: storable(response, RESPONSE_LENGTH),
    },
  }
}

function failed(error: unknown): Outcome {
  const reason = error instanceof Error ? error.message : String(error)
  return { answer: { type: 'failed', error: reason }, status: 0, response: '' }
}

function trySend(
  { post, mailer }: Senders,
  receiver: Receiver,
  message: IdentifiedMessage,
  at: number,
): Promise<Outcome> {
  const { type } = receiver.integration
  if (type === 'webhook') throw new Error('Webhooks get events, not messages')
  return type === 'email'
    ? mail(mailer, receiver, message)
    : chat(post, receiver, formatForChat(type, message), at)
}

async function chat(
  post: Post,
  receiver: Receiver,
  request: ReturnType<typeof formatForChat>,
  at: number,
): Promise<Outcome> {
  const { url, headers, integration } = receiver
  // A secret is not checked when it is written.
  const [problem] = urlViolations(url)
  if (problem) throw new Error(`The URL in the secret ${integration.urlSecret} ${problem.description}.`)
  const sent = await post({
    sender: senderOf(receiver),
    url,
    headers: { ...headers, ...request.headers },
    body: request.body,
  })
  return { answer: readAnswer(sent.status, sent.retryAfter, at), status: sent.status, response: sent.body }
}

async function mail(
  mailer: Mailer | undefined,
  { name, integration, tenant }: Receiver,
  message: IdentifiedMessage,
): Promise<Outcome> {
  if (!mailer) throw new Error('This installation sends no e-mail. Ask your operator to set SKEIN_SMTP_URL.')
  const left = integration.to.filter((address) => !message.settled.includes(address))
  const refused = left.flatMap((address) => {
    const reason = mailer.refusalOf(address)
    return reason === undefined ? [] : [{ address, reason, isFinal: true }]
  })
  const allowed = left.filter((address) => refused.every((other) => other.address !== address))
  const content = formatForMail(message, { integration: name, org: tenant.org })
  const sent =
    allowed.length === 0
      ? { reached: [], refused: [], response: '' }
      : await mailer.send({ id: message.id, to: allowed, ...content })
  const all = [...refused, ...sent.refused]
  const { answer, settled } = decideMail({ reached: sent.reached, refused: all }, message.settled)
  const notes = all.map(({ address, reason }) => `${address} was refused: ${reason}`)
  return {
    answer,
    settled,
    status: answer.type === 'delivered' ? 250 : 0,
    response: [sent.response, ...notes].filter((line) => line !== '').join('\n'),
  }
}
