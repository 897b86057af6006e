import { parseDuration } from '@skein/contract'
import { isIdentifier, type Document } from '@skein/core'
import type { EngineResources } from '../resources.ts'
import { toCaller } from '../access/known-key.ts'
import { openSession, type SignedIn } from '../access/open-session.ts'
import { chargeAttempt, forgiveAttempt } from '../access/sign-in-limit.ts'
import { saveGrant } from './grants/save-grant.ts'
import { admitPerson, openReturn, provePerson, type ProvenPerson, type Returned } from './prove-person.ts'

/** Opens a session for the person whom the provider names. */
export async function finishSignIn(engine: EngineResources, returned: Returned): Promise<SignedIn> {
  const attempt = { address: returned.address, keyId: undefined }
  await chargeAttempt(engine, attempt)
  const proven = await provePerson(engine, openReturn(engine, 'sign-in', returned), returned)
  const signedIn = await open(engine, proven, returned)
  engine.events.emit({ type: 'signed-in', outcome: 'signed-in' })
  await forgiveAttempt(engine, attempt)
  return signedIn
}

async function open(engine: EngineResources, proven: ProvenPerson, page: Returned): Promise<SignedIn> {
  const { flow, usable, person, claims, grant } = proven
  const { tenantId } = flow
  const createdAt = engine.clock.now()
  const expiresAt = createdAt + (parseDuration(usable.document.sessionDuration) ?? 0)
  return engine.database.forTenant(tenantId, async (transaction) => {
    const key = await admitPerson(engine, transaction, proven, { page, at: createdAt })
    const signedIn = await openSession(engine, transaction, page, {
      caller: toCaller(key),
      keyId: key.keyId,
      createdAt,
      expiresAt,
      providerSession: providerSessionOf(claims),
    })
    // After the account was locked, as when somebody signs out.
    if (grant) {
      await saveGrant(engine, transaction, { tenantId, person }, { grant, sessionEndsAt: expiresAt })
    }
    return signedIn
  })
}

function providerSessionOf({ sid }: Document): string | undefined {
  return isIdentifier(sid) ? sid : undefined
}
