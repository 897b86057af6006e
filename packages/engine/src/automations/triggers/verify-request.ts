import { createHash, createHmac } from 'node:crypto'
import type { VerificationScheme } from '@skein/core'
import { NOBODY } from '../../access/tenant-in-path.ts'
import { isEqual } from '../../is-equal.ts'

/** As Standard Webhooks recommends. */
const TOLERANCE_MS = 5 * 60 * 1000
const MAX_SIGNATURES = 8

export interface SignedRequest {
  header(name: string): string | undefined
  readonly body: Uint8Array
  readonly now: number
}

/** A request of another system, which has no API key. */
export interface SenderRequest {
  /** As in the path: `codehost_app:acme`. */
  readonly tenant: string
  header(name: string): string | undefined
  readonly body: Uint8Array
}

/** Without a key, the signature is compared with that of nobody, so that it takes the same time. */
export function isFromSender(
  scheme: VerificationScheme,
  keys: readonly string[],
  request: SenderRequest,
  now: number,
): boolean {
  const signed = { header: request.header.bind(request), body: request.body, now }
  return isGenuine(scheme, keys.length > 0 ? keys : [NOBODY], signed) && keys.length > 0
}

/**
 * Whether a request was sent by someone who has one of the keys, just now if that can be told. Takes the same time
 * whatever is wrong with a signature.
 */
export function isGenuine(
  scheme: VerificationScheme,
  keys: readonly string[],
  request: SignedRequest,
): boolean {
  switch (scheme.type) {
    case 'standard-webhooks':
      return isStandardWebhook(keys, request)
    case 'hmac': {
      const signatures = (request.header(scheme.header) ?? '').split(',').slice(0, MAX_SIGNATURES)
      const expected = keys.map((key) => hmac(key, request.body))
      const isSigned = anyOf(
        signatures.flatMap((text) => {
          const trimmed = text.trim()
          if (!trimmed.startsWith(scheme.prefix)) return []
          const sent = trimmed.slice(scheme.prefix.length)
          // As text: a lenient decoder would accept several spellings of one signature.
          return expected.map((digest) => isEqual(sent, digest.toString(scheme.encoding)))
        }),
      )
      return isSigned && (scheme.timeField === undefined || isTimely(scheme.timeField, request))
    }
    case 'token':
      return isAnyKey(keys, request.header(scheme.header))
    case 'bearer':
      return isAnyKey(keys, /^Bearer +(\S+)$/i.exec(request.header('authorization') ?? '')?.[1])
  }
}

function isStandardWebhook(keys: readonly string[], { header, body, now }: SignedRequest): boolean {
  const id = header('webhook-id') ?? ''
  const timestamp = header('webhook-timestamp') ?? ''
  const signatures = (header('webhook-signature') ?? '').split(' ').slice(0, MAX_SIGNATURES)
  const prefix = Buffer.from(`${id}.${timestamp}.`)
  const expected = keys.map((key) => hmac(Buffer.from(key.replace(/^whsec_/, ''), 'base64'), prefix, body))
  const isSigned = anyOf(
    signatures.flatMap((text) => {
      if (!text.startsWith('v1,')) return []
      const sent = text.slice('v1,'.length)
      return expected.map((digest) => isEqual(sent, digest.toString('base64')))
    }),
  )
  const isTimed = /^[0-9]{1,12}$/.test(timestamp) && Math.abs(now - Number(timestamp) * 1000) <= TOLERANCE_MS
  return isSigned && isTimed && id !== ''
}

/** A quotation mark within a text of the body would be escaped, so only a field can match. */
function isTimely(field: string, { body, now }: SignedRequest): boolean {
  const text = Buffer.from(body).toString('latin1')
  const sentAt = new RegExp(`"${field}"\\s*:\\s*([0-9]{1,16})`).exec(text)?.[1]
  return sentAt !== undefined && Math.abs(now - Number(sentAt)) <= TOLERANCE_MS
}

function isAnyKey(keys: readonly string[], sent: string | undefined): boolean {
  const digest = sha256(sent ?? '')
  const isKnown = anyOf(keys.map((key) => isEqual(sha256(key), digest)))
  return isKnown && sent !== undefined && sent !== ''
}

function hmac(key: string | Uint8Array, ...parts: readonly Uint8Array[]): Buffer {
  const mac = createHmac('sha256', key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}

/** Looks at all of them. */
function anyOf(matches: readonly boolean[]): boolean {
  return matches.reduce((found, matched) => found || matched, false)
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
