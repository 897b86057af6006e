import { createHmac } from 'node:crypto'

const PREFIX = 'whsec_'

/** One message as Standard Webhooks signs it. */
export interface SignedMessage {
  readonly id: string
  /** In seconds. */
  readonly timestamp: number
  readonly body: string
}

/** The headers of a message without its signature. */
export function messageHeaders({ id, at }: { readonly id: string; readonly at: number }) {
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(toSeconds(at)),
  }
}

export function toSeconds(at: number): number {
  return Math.floor(at / 1000)
}

/** The headers that let a receiver check who sent a message. While keys rotate, there are two signatures. */
export function signMessage(
  signingKeys: readonly string[],
  { id, timestamp, body }: SignedMessage,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const signed = `${id}.${timestamp}.${body}`
  const signatures = signingKeys.map((key) => {
    const bytes = Buffer.from(key.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', bytes).update(signed).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
