import type { Provider, TenantInput } from '@skein/contract'

interface TenantQuery {
  readonly 'ref.tenant.provider'?: Provider
  readonly 'ref.tenant.org'?: string
}

/** GET has no body: the tenant's fields are flat query parameters. */
export function tenantOfQuery(query: TenantQuery): TenantInput {
  const { 'ref.tenant.provider': provider, 'ref.tenant.org': org } = query
  return { ...(provider !== undefined && { provider }), ...(org !== undefined && { org }) }
}
