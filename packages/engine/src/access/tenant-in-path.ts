import type { Tenant } from '@skein/contract'
import { providerNamed } from '@skein/contract/facts'
import { findAddressedTenantId } from '@skein/store'
import type { EngineResources } from '../resources.ts'

/** No tenant has this id, and no sender this key. */
export const NOBODY = '00000000-0000-0000-0000-000000000000'

/** Of paths for other systems, which have no key: `codehost_app:acme`. Anything else names no tenant that exists. */
function tenantInPath(text: string): Tenant {
  const separator = text.indexOf(':')
  const provider = providerNamed(text.slice(0, Math.max(separator, 0))) ?? 'PROVIDER_UNSPECIFIED'
  return { provider, org: text.slice(separator + 1).replaceAll('\u0000', '') }
}

/** The tenant's id; that of nobody if it is unknown, so that both take the same steps. */
export async function findTenantInPath({ database }: EngineResources, text: string): Promise<string> {
  const tenant = tenantInPath(text)
  return (await database.statement((transaction) => findAddressedTenantId(transaction, tenant))) ?? NOBODY
}
