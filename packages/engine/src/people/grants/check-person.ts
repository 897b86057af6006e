import { SkeinError } from '@skein/contract'
import { decidePerson } from '@skein/core'
import {
  KeyStore,
  PersonGrantStore,
  SessionEndStore,
  type DuePersonGrant,
  type PersonGrantRecord,
} from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { requireClient, type UsableProvider } from '../find-provider.ts'
import { readVouched } from '../pin-organizations.ts'
import { withDeadline } from '../with-deadline.ts'
import { ProviderUnreachable } from '../provider-unreachable.ts'
import { connectHost } from '../sources/connect-source.ts'
import type { OAuthHost } from '../sources/oauth-host.ts'
import { freshGrant } from './fresh-grant.ts'
import { openGrant, sealGrant } from './sealed-grant.ts'

export const CHECK_MS = 3_600_000
export const CHECK_HOLD_MS = 120_000
/** Agents work on when the session of their person has expired, and open pull requests then. */
export const KEPT_MS = 7 * 24 * 3_600_000
const RETRY_MS = 5 * 60_000

/**
 * Asks the code host whether a person still belongs there. If not, their sessions end. Forgets what lets us act for
 * somebody who has signed out. Can be repeated.
 */
export async function checkPerson(engine: EngineResources, due: DuePersonGrant): Promise<void> {
  const { tenantId, ...person } = due
  const { database, clock } = engine
  const record = await database.forTenant(tenantId, (transaction) =>
    new PersonGrantStore(transaction).find(person, clock.now()),
  )
  if (!record) return
  try {
    const usable = await findUsable(engine, tenantId, person.identityProvider)
    const source = usable && connectHost(engine, usable, usable.secret)
    // A provider that is gone, paused or elsewhere has ended its sessions already.
    if (!source || source.issuer !== person.issuer) return await forget(engine, due, record, undefined)
    const { sessionEndsAt } = record
    if (sessionEndsAt === undefined && record.keepUntil <= clock.now())
      return await forget(engine, due, record, source)
    if (!(await isStillAllowed(engine, due, record, { usable, source })))
      await endAll(engine, due, record, source)
    else await checkAgain(engine, due, record, CHECK_MS)
  } catch (error) {
    if (!(error instanceof ProviderUnreachable)) throw error
    // While the host is down, nobody is signed out. Their session ends in time.
    await checkAgain(engine, due, record, RETRY_MS)
  }
}

async function findUsable(
  engine: EngineResources,
  tenantId: string,
  name: string,
): Promise<(UsableProvider & { readonly secret: string }) | undefined> {
  try {
    const { usable, secret } = await requireClient(engine, tenantId, name)
    return { ...usable, secret }
  } catch (error) {
    if (error instanceof SkeinError && error.reason === 'IDENTITY_PROVIDER_NOT_FOUND') return undefined
    throw error
  }
}

/** Also gives the person the role and the teams that they have now. */
async function isStillAllowed(
  engine: EngineResources,
  { tenantId, ...person }: DuePersonGrant,
  { keyId, sealed, version }: PersonGrantRecord,
  { usable, source }: { readonly usable: UsableProvider; readonly source: OAuthHost },
): Promise<boolean> {
  const grant = await freshGrant(engine, source, { tenantId, person })
  const said = grant && (await withDeadline(readClaims(source, grant.accessToken)))
  if (!said || said['sub'] !== person.subject) return false
  const { claims } = await readVouched(engine, tenantId, person, usable, said)
  const decision = decidePerson(usable.document, claims)
  if (decision.type === 'refused') return false
  const { role, teams } = decision
  await engine.database.forTenant(tenantId, (transaction) =>
    new KeyStore(transaction).setPerson(keyId, { role, teams, directoryTeams: {} }),
  )
  // So that an older master key can be removed. Apart, because others lock the grant before the key.
  if (!engine.vault.isSealedWithFirstKey(sealed)) {
    const resealed = sealGrant(engine, tenantId, person, grant)
    await engine.database.forTenant(tenantId, (transaction) =>
      new PersonGrantStore(transaction).replace(person, version, resealed),
    )
  }
  return true
}

/** Undefined if the host does not accept the token, or names nobody. */
async function readClaims(source: OAuthHost, accessToken: string) {
  try {
    return await source.readClaims(accessToken)
  } catch (error) {
    if (error instanceof SkeinError) return undefined
    throw error
  }
}

async function endAll(
  engine: EngineResources,
  due: DuePersonGrant,
  record: PersonGrantRecord,
  source: OAuthHost,
): Promise<void> {
  const { tenantId, ...person } = due
  const now = engine.clock.now()
  const ended = { ...person, providerSession: undefined, openedUntil: now }
  const isEnded = await engine.database.forTenant(tenantId, async (transaction) => {
    // Somebody who signed in meanwhile has shown that they belong here.
    const current = await new PersonGrantStore(transaction).find(person, now)
    if (!current || current.keyId !== record.keyId || current.version - record.version > 1n) return false
    await new SessionEndStore(transaction).revokeOfPerson(ended, now, 1)
    return true
  })
  if (!isEnded) return
  engine.auditTrail.noteLater({
    tenantId,
    at: now,
    operation: 'endPersonSessions',
    kind: 'identity-provider',
    name: person.identityProvider,
    ownerProvider: source.ownerProvider,
    account: '',
    role: '',
    token: '',
    justification: '',
    requestId: '',
    address: '',
    detail: `The code host no longer vouches for the person ${person.subject}.`,
  })
  await forget(engine, due, record, source)
}

async function forget(
  engine: EngineResources,
  { tenantId, ...person }: DuePersonGrant,
  { sealed }: PersonGrantRecord,
  source: OAuthHost | undefined,
): Promise<void> {
  const dropped = await engine.database.forTenant(tenantId, async (transaction) => {
    const grants = new PersonGrantStore(transaction)
    const current = await grants.find(person, engine.clock.now())
    return current && (await grants.drop(person, current.version)) ? current.sealed : undefined
  })
  const grant = openGrant(engine, tenantId, person, dropped ?? sealed)
  if (dropped !== undefined && grant && grant.apiUrl === source?.apiUrl) {
    await source.revoke(grant).catch(() => {})
  }
}

async function checkAgain(
  { database, clock }: EngineResources,
  { tenantId, ...person }: DuePersonGrant,
  record: PersonGrantRecord,
  afterMs: number,
): Promise<void> {
  const { sessionEndsAt } = record
  const keepUntil = sessionEndsAt === undefined ? undefined : sessionEndsAt + KEPT_MS
  await database.forTenant(tenantId, (transaction) =>
    new PersonGrantStore(transaction).checkAgain(person, record, { at: clock.now() + afterMs, keepUntil }),
  )
}
