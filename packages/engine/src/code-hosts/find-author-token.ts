import { SkeinError, type CodeHostDocument } from '@skein/contract'
import { apiUrlOf } from '@skein/core'
import { PersonGrantStore, type PersonRef } from '@skein/store'
import { requireClient } from '../people/find-provider.ts'
import { freshGrant } from '../people/grants/fresh-grant.ts'
import { ProviderUnreachable } from '../people/provider-unreachable.ts'
import { connectHost } from '../people/sources/connect-source.ts'
import type { EngineResources } from '../resources.ts'
import type { OpenPullRequest } from './host-call.ts'

interface Wanted {
  readonly tenantId: string
  readonly codeHost: string
  readonly document: CodeHostDocument
  readonly call: OpenPullRequest
}

/** The token of the agent's owner, or of an account that they linked, if it is of this code host and the tenant wants it to be used. */
export async function findAuthorToken(
  engine: EngineResources,
  { tenantId, codeHost, document, call: { ownerProvider = '', account } }: Wanted,
): Promise<string | undefined> {
  const people = await engine.database.forTenant(tenantId, (transaction) =>
    new PersonGrantStore(transaction).ofAccount(ownerProvider, account, engine.clock.now()),
  )
  for (const person of people) {
    const token = await tokenOf(engine, { tenantId, codeHost, document }, person)
    if (token !== undefined) return token
  }
  return undefined
}

async function tokenOf(
  engine: EngineResources,
  { tenantId, codeHost, document }: Omit<Wanted, 'call'>,
  person: PersonRef,
): Promise<string | undefined> {
  try {
    const { usable, secret } = await requireClient(engine, tenantId, person.identityProvider)
    const source = connectHost(engine, usable, secret)
    const isMeant = usable.document.opensPullRequests && usable.document.codeHost === codeHost
    if (!isMeant || source?.issuer !== person.issuer) return undefined
    const grant = await freshGrant(engine, source, { tenantId, person })
    return grant?.apiUrl === apiUrlOf(document) ? grant.accessToken : undefined
  } catch (error) {
    if (error instanceof ProviderUnreachable || error instanceof SkeinError) return undefined
    throw error
  }
}
