import type { Caller } from '@skein/core'
import { PersonLinkStore } from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { startFlow, type StartedSignIn, type StartSignIn } from '../start-sign-in.ts'
import { onlyPeople, requireSession } from './linking-session.ts'

/** Where a person proves that another account is theirs too. Only this session can finish it. */
export async function startAccountLink(
  engine: EngineResources,
  caller: Caller,
  wanted: Omit<StartSignIn, 'tenant'>,
): Promise<StartedSignIn> {
  const { sessionId, keyId } = requireSession(caller)
  const own = await engine.database.forTenant(caller.tenantId, (transaction) =>
    new PersonLinkStore(transaction).ofKey(keyId),
  )
  if (!own) throw onlyPeople()
  return startFlow(engine, { ...wanted, tenant: caller.tenant }, { purpose: 'account-link', sessionId })
}
