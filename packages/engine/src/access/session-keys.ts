import { isDocument, type Caller } from '@skein/core'
import type { EngineResources } from '../resources.ts'

const KEY = { prefix: 'skt_', place: 'session-key' } as const
const RENEWAL = { prefix: 'sku_', place: 'renewal-key' } as const

const KEY_MS = 3_600_000

/** What a command line gets. Nothing of it is stored: both keys are sealed by the service, and name the session. */
export interface SessionKeys {
  readonly caller: Caller
  readonly apiKey: string
  readonly expiresAt: number
  readonly renewalKey: string
  readonly sessionExpiresAt: number
}

interface KeptSession {
  readonly id: string
  readonly expiresAt: number
  /** How often the keys were renewed. */
  readonly renewals: number
}

export function mintSessionKeys(
  { vault, clock }: EngineResources,
  caller: Caller,
  { id, expiresAt: sessionExpiresAt, renewals }: KeptSession,
): SessionKeys {
  const expiresAt = Math.min(clock.now() + KEY_MS, sessionExpiresAt)
  const seal = ({ prefix, place }: typeof KEY | typeof RENEWAL, content: object) =>
    prefix + vault.seal(JSON.stringify(content), place)
  return {
    caller,
    apiKey: seal(KEY, { sessionId: id, expiresAt }),
    expiresAt,
    renewalKey: seal(RENEWAL, { sessionId: id, renewals }),
    sessionExpiresAt,
  }
}

export function isSessionKey(key: string): boolean {
  return key.startsWith(KEY.prefix)
}

/** Undefined if it is not ours, or has expired. */
export function openSessionKey(
  engine: EngineResources,
  key: string,
): { readonly sessionId: string } | undefined {
  const { sessionId, expiresAt } = open(engine, KEY, key)
  if (typeof sessionId !== 'string' || typeof expiresAt !== 'number') return undefined
  return expiresAt > engine.clock.now() ? { sessionId } : undefined
}

export function openRenewalKey(
  engine: EngineResources,
  key: string,
): { readonly sessionId: string; readonly renewals: number } | undefined {
  const { sessionId, renewals } = open(engine, RENEWAL, key)
  if (typeof sessionId !== 'string' || typeof renewals !== 'number') return undefined
  return { sessionId, renewals }
}

function open(
  { vault }: EngineResources,
  { prefix, place }: typeof KEY | typeof RENEWAL,
  key: string,
): Readonly<Record<string, unknown>> {
  if (!key.startsWith(prefix)) return {}
  try {
    const content: unknown = JSON.parse(vault.open(key.slice(prefix.length), place))
    return isDocument(content) ? content : {}
  } catch {
    return {}
  }
}
