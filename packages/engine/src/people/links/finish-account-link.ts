import { SkeinError, type LinkedAccount } from '@skein/contract'
import { providerName } from '@skein/contract/facts'
import { decideLink, type Caller } from '@skein/core'
import { BrowserSessionStore, PersonLinkStore, type LinkedPerson, type Transaction } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import { recordAudit } from '../../audit/record-audit.ts'
import { chargeAttempt, forgiveAttempt } from '../../access/sign-in-limit.ts'
import type { EngineResources } from '../../resources.ts'
import { saveGrant } from '../grants/save-grant.ts'
import { admitPerson, openReturn, provePerson, type ProvenPerson, type Returned } from '../prove-person.ts'
import { signInExpired } from '../sign-in-flow.ts'
import { toLinkedAccount } from './linked-account.ts'
import { onlyPeople, requireSession, type LinkingSession } from './linking-session.ts'

interface Finishing {
  readonly caller: Caller
  readonly session: LinkingSession
  readonly page: Returned
}

/** Links the account that the provider names to that of the session which started. It opens no session. */
export async function finishAccountLink(
  engine: EngineResources,
  caller: Caller,
  page: Returned,
): Promise<{ link: LinkedAccount }> {
  const session = requireSession(caller)
  const attempt = { address: page.address, keyId: undefined }
  await chargeAttempt(engine, attempt)
  const opened = openReturn(engine, 'account-link', page)
  const { sessionId, tenantId } = opened.flow
  // Somebody who signed in since then has not asked for it.
  if (sessionId !== session.sessionId || tenantId !== caller.tenantId) throw signInExpired()
  const proven = await provePerson(engine, opened, page)
  const link = await engine.database.forTenant(tenantId, (transaction) =>
    write(engine, transaction, proven, { caller, session, page }),
  )
  await forgiveAttempt(engine, attempt)
  return { link }
}

async function write(
  engine: EngineResources,
  transaction: Transaction,
  proven: ProvenPerson,
  { caller, session, page }: Finishing,
): Promise<LinkedAccount> {
  const at = engine.clock.now()
  const { person, usable, grant } = proven
  const { tenantId } = caller
  // Takes the lock under which accounts are linked and end.
  await admitPerson(engine, transaction, proven, { page, at })
  const sessions = new BrowserSessionStore(transaction)
  if (!(await sessions.lockLive(caller, session.sessionId, at))) throw signInExpired()
  const own = await new PersonLinkStore(transaction).ofKey(session.keyId)
  if (!own) throw onlyPeople()
  const sessionEndsAt = (await sessions.find(session.sessionId))?.expiresAt ?? at
  if (grant) await saveGrant(engine, transaction, { tenantId, person }, { grant, sessionEndsAt })
  const other = await join(transaction, own, { person, at })
  await recordAudit(
    transaction,
    { caller, requestId: page.requestId, address: page.address },
    {
      operation: 'linkAccount',
      kind: 'account',
      name: `${providerName(other.ownerProvider)}/${other.account}`,
      at,
    },
  )
  return toLinkedAccount(other, usable.document)
}

async function join(
  transaction: Transaction,
  own: LinkedPerson,
  { person, at }: { readonly person: ProvenPerson['person']; readonly at: number },
): Promise<LinkedPerson> {
  const links = new PersonLinkStore(transaction)
  const other = await requirePerson(links, person)
  const members = own.linkId === undefined ? [] : await links.members(own.linkId)
  const decision = decideLink(own, other, members)
  if (decision.type === 'refused') throw new SkeinError('ACCOUNT_NOT_LINKABLE', { message: decision.because })
  if (decision.type === 'unchanged') return other
  const linkId = own.linkId ?? uuidV7({ msecs: at })
  await links.join(own, linkId, at)
  await links.join(person, linkId, at)
  return requirePerson(links, person)
}

async function requirePerson(links: PersonLinkStore, person: ProvenPerson['person']): Promise<LinkedPerson> {
  const found = await links.ofPerson(person)
  if (!found) throw new Error('Somebody who was just saved can be found')
  return found
}
