import type { Tenant } from '@skein/contract'
import { findSignInProviders } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { parseOffered } from './find-provider.ts'

interface SignInProvider {
  readonly tenant: Tenant
  readonly name: string
  readonly title: string
}

/** What the sign-in page offers to people of this organization. */
export async function listSignInProviders(
  { database, signInOrg }: EngineResources,
  org: string,
): Promise<{ providers: SignInProvider[] }> {
  const wanted = org === '' ? signInOrg : org
  if (wanted === '') return { providers: [] }
  const offered = await database.statement((transaction) => findSignInProviders(transaction, wanted))
  const providers = offered.flatMap(({ tenant, name, document }) => {
    const parsed = parseOffered(name, document)
    return parsed ? [{ tenant, name, title: parsed.title }] : []
  })
  return { providers }
}
