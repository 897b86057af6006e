import { formatTimestamp, SkeinError } from '@skein/contract'
import { SIGN_IN_CODE_PREFIX } from '@skein/contract/facts'
import type { Caller } from '@skein/core'
import { addSignInLink, findKey, takeSignInLink, type KeyRecord } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import type { EngineResources } from '../resources.ts'
import type { RequestOrigin } from './request-origin.ts'
import { hashSecret } from './keys.ts'
import { recordSession } from './record-session.ts'

const LINK_MS = 5 * 60_000

/** Per key. One more invalidates the oldest. */
const MAX_LINKS = 10

/** Whether the fragment of a link holds a sign-in code rather than a key. */
export function isSignInCode(text: string): boolean {
  return text.startsWith(SIGN_IN_CODE_PREFIX)
}

/** A URL that signs a browser in as the caller. The code is in the fragment, which servers and proxies never see. */
export async function createSignInLink(
  engine: EngineResources,
  caller: Caller,
  origin: RequestOrigin,
): Promise<{ url: string; expireTime: string }> {
  const { keyId, sessionId, commandLineId, isWorkload } = caller
  // A session that could create another one would never have to end.
  if (keyId === undefined || sessionId !== undefined || commandLineId !== undefined || isWorkload) {
    throw new SkeinError('PERMISSION_MISSING', {
      message: 'Creating a sign-in link requires an API key, not a session.',
    })
  }
  const createdAt = engine.clock.now()
  const expiresAt = Math.min(createdAt + LINK_MS, caller.expiresAt ?? Infinity)
  const code = SIGN_IN_CODE_PREFIX + Buffer.from(engine.random.bytes(32)).toString('base64url')
  const id = uuidV7({ msecs: createdAt, random: engine.random.bytes(16) })
  await engine.database.forTenant(caller.tenantId, async (transaction) => {
    const link = { id, keyId, secretSha256: hashSecret(code), createdAt, expiresAt }
    await addSignInLink(transaction, link, MAX_LINKS)
    await recordSession(transaction, {
      caller,
      ...origin,
      operation: 'createSignInLink',
      name: id,
      at: createdAt,
    })
  })
  const url = new URL(`sign-in#${code}`, `${engine.publicUrl.replace(/\/+$/, '')}/`)
  return { url: url.href, expireTime: formatTimestamp(expiresAt) }
}

/** Returns the key a link stands for. Each code works once. */
export async function redeemSignInCode(
  { database, clock }: EngineResources,
  code: string,
): Promise<KeyRecord | undefined> {
  return database.withoutTenant(async (transaction) => {
    const keyId = await takeSignInLink(transaction, hashSecret(code), clock.now())
    return keyId === undefined ? undefined : findKey(transaction, keyId)
  })
}
