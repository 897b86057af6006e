import type { IdentityProviderDocument, LinkableProvider, LinkedAccount } from '@skein/contract'
import type { Caller } from '@skein/core'
import { findSignInProviders, PersonLinkStore, type Transaction } from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { parseOffered } from '../find-provider.ts'
import { toLinkedAccount } from './linked-account.ts'

/** Accounts that are linked to the caller's, and what else can be linked in this browser. */
export async function listLinkedAccounts(
  { database }: EngineResources,
  caller: Caller,
): Promise<{ links: LinkedAccount[]; providers: LinkableProvider[] }> {
  const { tenantId, ownerProvider, account, keyId, sessionId } = caller
  return database.forTenant(tenantId, async (transaction) => {
    const store = new PersonLinkStore(transaction)
    const own = await store.ofAccount(ownerProvider, account)
    if (!own) return { links: [], providers: [] }
    const members = own.linkId === undefined ? [] : await store.members(own.linkId)
    const offered = await findOffered(transaction, caller)
    const others = members.filter((member) => member.keyId !== own.keyId)
    const isLinking = sessionId !== undefined && keyId === own.keyId
    const used = new Set([own, ...others].map(({ identityProvider }) => identityProvider))
    return {
      links: others.map((other) => toLinkedAccount(other, offered.get(other.identityProvider))),
      providers: isLinking
        ? [...offered].filter(([name]) => !used.has(name)).map(([name, { title }]) => ({ name, title }))
        : [],
    }
  })
}

async function findOffered(
  transaction: Transaction,
  { tenant }: Caller,
): Promise<ReadonlyMap<string, IdentityProviderDocument>> {
  const found = await findSignInProviders(transaction, tenant.org)
  return new Map(
    found.flatMap(({ tenant: { provider }, name, document }) => {
      const parsed = provider === tenant.provider ? parseOffered(name, document) : undefined
      return parsed ? [[name, parsed] as const] : []
    }),
  )
}
