import type { TriggerDocument } from '@skein/contract'

/** What in a request proves who sent it. Header names are in lower case. */
export type VerificationScheme =
  /** Id, time and body are signed together. */
  | { readonly type: 'standard-webhooks' }
  /** The body is signed. */
  | {
      readonly type: 'hmac'
      readonly header: string
      readonly prefix: string
      readonly encoding: 'hex' | 'base64'
      /** A field of the body with the time of sending, in epoch milliseconds. */
      readonly timeField?: string
    }
  /** Nothing is signed: the key itself is sent. */
  | { readonly type: 'token'; readonly header: string }
  | { readonly type: 'bearer' }

interface Product {
  readonly scheme: VerificationScheme
  /** The same in every copy of a request. */
  readonly deliveryHeader: string
  /** Says what happened; empty if the body does. */
  readonly eventHeader: string
}

const hmac = (header: string, prefix = '') => ({ type: 'hmac', header, prefix, encoding: 'hex' }) as const

/** As documented by each product. */
const PRODUCTS: Readonly<Record<string, Product>> = {
  'standard-webhooks': {
    scheme: { type: 'standard-webhooks' },
    deliveryHeader: 'webhook-id',
    eventHeader: '',
  },
  github: {
    scheme: hmac('x-hub-signature-256', 'sha256='),
    deliveryHeader: 'x-github-delivery',
    eventHeader: 'x-github-event',
  },
  gitea: {
    scheme: hmac('x-gitea-signature'),
    deliveryHeader: 'x-gitea-delivery',
    eventHeader: 'x-gitea-event',
  },
  gitlab: {
    scheme: { type: 'token', header: 'x-gitlab-token' },
    deliveryHeader: 'idempotency-key',
    eventHeader: 'x-gitlab-event',
  },
  sentry: {
    scheme: hmac('sentry-hook-signature'),
    deliveryHeader: 'request-id',
    eventHeader: 'sentry-hook-resource',
  },
  linear: {
    scheme: { ...hmac('linear-signature'), timeField: 'webhookTimestamp' },
    deliveryHeader: 'linear-delivery',
    eventHeader: 'linear-event',
  },
  // The header may have several signatures, while its key is rotated. The event's id is in the body.
  pagerduty: { scheme: hmac('x-pagerduty-signature', 'v1='), deliveryHeader: '', eventHeader: '' },
}

/** What a trigger reads from a request. Header names are in lower case. */
export interface RequestReading {
  readonly scheme: VerificationScheme
  /** Empty if only the body tells copies of a request apart. */
  readonly deliveryHeader: string
  /** The headers that conditions and templates can use. */
  readonly headers: readonly string[]
}

export function readingOf(trigger: TriggerDocument): RequestReading {
  const { verification, deliveryHeader, headers } = trigger
  const product = PRODUCTS[verification.type] ?? {
    scheme: schemeOf(verification),
    deliveryHeader: 'idempotency-key',
    eventHeader: '',
  }
  // A signed id is what tells copies apart: someone who repeats a request could change another header.
  const isIdSigned = product.scheme.type === 'standard-webhooks'
  const wanted = ['content-type', 'user-agent', product.eventHeader, ...headers]
  return {
    scheme: product.scheme,
    deliveryHeader:
      deliveryHeader === '' || isIdSigned ? product.deliveryHeader : deliveryHeader.toLowerCase(),
    headers: [...new Set(wanted.filter((name) => name !== '').map((name) => name.toLowerCase()))],
  }
}

function schemeOf({ type, header, prefix, encoding }: TriggerDocument['verification']): VerificationScheme {
  const name = header.toLowerCase()
  if (type === 'hmac-sha256') return { type: 'hmac', header: name, prefix, encoding }
  return type === 'token' ? { type: 'token', header: name } : { type: 'bearer' }
}

const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'set-cookie',
  'x-api-key',
  'x-csrf-token',
  'x-gitlab-token',
])

/** Headers that may contain a key are never stored, and no template sees them. */
export function isCredentialHeader(name: string, scheme: VerificationScheme): boolean {
  const lower = name.toLowerCase()
  return CREDENTIALS.has(lower) || ('header' in scheme && scheme.header === lower)
}
