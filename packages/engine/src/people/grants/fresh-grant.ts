import { setTimeout as pause } from 'node:timers/promises'
import { PersonGrantStore, type PersonRef } from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { ProviderUnreachable } from '../provider-unreachable.ts'
import type { OAuthHost } from '../sources/oauth-host.ts'
import type { PersonGrant } from '../sources/people-source.ts'
import { openGrant, sealGrant } from './sealed-grant.ts'

/** Long enough for what it is used for next. */
const MARGIN_MS = 2 * 60_000
/** Longer than a request to the host takes. */
const HOLD_MS = 30_000
const LOOK_MS = 250
const PATIENCE_MS = 15_000

export interface HeldPerson {
  readonly tenantId: string
  readonly person: PersonRef
}

/**
 * A grant that is valid for a while. A refresh token may work only once, so one server renews it and the others wait.
 * Undefined if there is none, or if the host no longer accepts it.
 */
export async function freshGrant(
  engine: EngineResources,
  source: OAuthHost,
  { tenantId, person }: HeldPerson,
): Promise<PersonGrant | undefined> {
  const inTenant = <Result>(work: (grants: PersonGrantStore) => Promise<Result>) =>
    engine.database.forTenant(tenantId, (transaction) => work(new PersonGrantStore(transaction)))
  const startedAt = performance.now()
  while (performance.now() - startedAt < PATIENCE_MS) {
    const found = await inTenant((grants) => grants.find(person, engine.clock.now()))
    const grant = found && openGrant(engine, tenantId, person, found.sealed)
    // It is never sent anywhere but where it was issued for.
    if (!found || grant?.apiUrl !== source.apiUrl) return undefined
    const { expiresAt = Infinity } = grant
    if (expiresAt - engine.clock.now() > MARGIN_MS) return grant
    if (grant.refreshToken === '') return undefined
    const { version } = found
    if (await inTenant((grants) => grants.hold(person, version, HOLD_MS))) {
      return renew(grant, version)
    }
    await pause(LOOK_MS)
  }
  throw new ProviderUnreachable('Another server is still renewing the person’s token.')

  async function renew(grant: PersonGrant, version: bigint): Promise<PersonGrant | undefined> {
    let renewed: PersonGrant | undefined
    try {
      renewed = await source.refresh(grant)
    } catch (error) {
      await inTenant((grants) => grants.release(person, version))
      throw error
    }
    if (!renewed) return undefined
    const sealed = sealGrant(engine, tenantId, person, renewed)
    // A sign-in meanwhile has brought a newer one.
    await inTenant((grants) => grants.replace(person, version, sealed))
    return renewed
  }
}
