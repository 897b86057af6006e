import { PersonGrantStore, type PersonRef, type Transaction } from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import type { PersonGrant } from '../sources/people-source.ts'
import { CHECK_MS, KEPT_MS } from './check-person.ts'
import { sealGrant } from './sealed-grant.ts'

/** Written together with the session. */
export async function saveGrant(
  engine: EngineResources,
  transaction: Transaction,
  { tenantId, person }: { readonly tenantId: string; readonly person: PersonRef },
  { grant, sessionEndsAt }: { readonly grant: PersonGrant; readonly sessionEndsAt: number },
): Promise<void> {
  await new PersonGrantStore(transaction).save(person, {
    sealed: sealGrant(engine, tenantId, person, grant),
    checkAt: engine.clock.now() + CHECK_MS,
    keepUntil: sessionEndsAt + KEPT_MS,
  })
}
