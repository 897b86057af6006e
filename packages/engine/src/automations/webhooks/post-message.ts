import { cutText } from '@skein/contract'
import { readAnswer, type Answer } from '@skein/core'
import type { DeliveryRecord } from '@skein/store'
import { senderOf, type Receiver } from './destinations.ts'
import type { Post } from './post.ts'
import { messageHeaders, signMessage, toSeconds } from './sign-message.ts'

export const ERROR_LENGTH = 500
export const RESPONSE_LENGTH = 2048

/** What goes to a receiver. */
export interface Message {
  readonly id: string
  /** When it is sent. */
  readonly at: number
  readonly content: object
}

export interface Posted {
  readonly answer: Answer
  readonly logged: Pick<DeliveryRecord, 'status' | 'error' | 'latencyMs' | 'response'>
}

/** Signs a message and sends it. Never rejects: an error is an answer too. */
export async function postMessage(post: Post, receiver: Receiver, message: Message): Promise<Posted> {
  const begun = performance.now()
  const { answer, status, response } = await tryPost(post, receiver, message)
  return {
    answer,
    logged: {
      status,
      error: answer.type === 'delivered' ? '' : storable(answer.error, ERROR_LENGTH),
      latencyMs: Math.round(performance.now() - begun),
      response: storable(response, RESPONSE_LENGTH),
    },
  }
}

async function tryPost(
  post: Post,
  receiver: Receiver,
  { id, at, content }: Message,
): Promise<{ readonly answer: Answer; readonly status: number; readonly response: string }> {
  const { url, signingKeys, headers } = receiver
  const body = JSON.stringify(content)
  const signed = signMessage(signingKeys, { id, timestamp: toSeconds(at), body })
  try {
    const {
      status,
      retryAfter,
      body: response,
    } = await post({
      sender: senderOf(receiver),
      url,
      headers: { ...headers, ...messageHeaders({ id, at }), ...signed },
      body,
    })
    return { answer: readAnswer(status, retryAfter, at), status, response }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { answer: { type: 'failed', error: reason }, status: 0, response: '' }
  }
}

/** PostgreSQL cannot store NUL. */
export function storable(text: string, maxLength: number): string {
  return cutText(text.replaceAll('\0', '\uFFFD'), maxLength)
}
