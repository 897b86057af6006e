import type { TimelineEvent } from './generated/types.ts'

const PREFIX = 'whsec_'
const TOLERANCE_S = 5 * 60

/**
 * What a webhook brings: an event of an agent.
 *
 * @example
 * import type { WebhookEvent } from '@skein/client'
 *
 * function react({ type, data }: WebhookEvent) {
 *   if (type === 'run.ended') console.log(data.agentId, 'has ended a run')
 * }
 */
export interface WebhookEvent {
  /** The event's type; `test` for a test event. Like `integration.disabled`, that is not about an agent. */
  readonly type: string
  /** When it happened. */
  readonly timestamp: string
  readonly data: TimelineEvent
}

/**
 * A request that was not sent by Skein, or is too old.
 *
 * @example
 * import { WebhookVerificationError } from '@skein/client'
 *
 * function statusOf(error: unknown) {
 *   return error instanceof WebhookVerificationError ? 401 : 500
 * }
 */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

/**
 * Checks that a request was sent by Skein, within the last five minutes, and returns its event. `body` must be the body as
 * it was received, not parsed and serialized again. Remember the header `webhook-id` to ignore repeated requests.
 *
 * @example
 * import { verifyWebhook } from '@skein/client'
 *
 * async function receive(request: Request) {
 *   const signingKey = process.env['SKEIN_SIGNING_KEY'] ?? ''
 *   const event = await verifyWebhook(await request.text(), request.headers, signingKey)
 *   console.log(event.type)
 *   return new Response(null, { status: 204 })
 * }
 */
export async function verifyWebhook(
  body: string,
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  signingKey: string,
): Promise<WebhookEvent> {
  const id = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const signatures = readHeader(headers, 'webhook-signature')
  const age = Date.now() / 1000 - Number(timestamp)
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(age) > TOLERANCE_S) {
    throw new WebhookVerificationError('The request is too old, or the clocks differ.')
  }
  const key = await importKey(signingKey)
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  for (const signature of signatures.split(' ').slice(0, 8)) {
    const [version, value = ''] = signature.split(',')
    const bytes = decode(value)
    // `verify` compares in constant time.
    if (version === 'v1' && bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed))) {
      const event: unknown = JSON.parse(body)
      if (isEvent(event)) return event
    }
  }
  throw new WebhookVerificationError('The signature does not match.')
}

/** Nobody else could have signed it. */
function isEvent(value: unknown): value is WebhookEvent {
  return typeof value === 'object' && value !== null && 'type' in value && 'data' in value
}

function readHeader(
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  if (typeof value === 'string' && value !== '') return value
  throw new WebhookVerificationError(`The header ${name} is missing.`)
}

function importKey(signingKey: string): Promise<CryptoKey> {
  const bytes = signingKey.startsWith(PREFIX) ? decode(signingKey.slice(PREFIX.length)) : undefined
  if (!bytes || bytes.length === 0) throw new TypeError('A signing key begins with whsec_.')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function decode(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
