import type { Caller } from '@skein/core'
import type { EngineResources } from '../resources.ts'
import { openKey, sealKey } from './sealed-key.ts'

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
  engine: EngineResources,
  caller: Caller,
  { id, expiresAt: sessionExpiresAt, renewals }: KeptSession,
): SessionKeys {
  const expiresAt = Math.min(engine.clock.now() + KEY_MS, sessionExpiresAt)
  return {
    caller,
    apiKey: sealKey(engine, KEY, { sessionId: id, expiresAt }),
    expiresAt,
    renewalKey: sealKey(engine, RENEWAL, { sessionId: id, renewals }),
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
  const { sessionId, expiresAt } = openKey(engine, KEY, key)
  if (typeof sessionId !== 'string' || typeof expiresAt !== 'number') return undefined
  return expiresAt > engine.clock.now() ? { sessionId } : undefined
}

export function openRenewalKey(
  engine: EngineResources,
  key: string,
): { readonly sessionId: string; readonly renewals: number } | undefined {
  const { sessionId, renewals } = openKey(engine, RENEWAL, key)
  if (typeof sessionId !== 'string' || typeof renewals !== 'number') return undefined
  return { sessionId, renewals }
}
