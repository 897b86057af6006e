import type { Kind, TenantInput } from '@skein/contract'
import { requireKind, requireReadableKind, resourceNotFound, type Caller } from '@skein/core'
import { resolveTenant, type EngineResources } from '@skein/engine'

interface ResourceInput {
  readonly engine: EngineResources
  readonly caller: Caller
  readonly params: { readonly 'ref.kind': string; readonly 'ref.name': string }
}

interface ResourceTarget {
  readonly tenantId: string
  readonly kind: Kind
  readonly name: string
}

/** The resource a path names. An operator's reads in other tenants are audited; commands audit themselves. */
export async function resourceTarget(
  { engine, caller, params }: ResourceInput,
  tenant: TenantInput | undefined,
  access: 'read' | 'command',
): Promise<ResourceTarget> {
  const kind = (access === 'read' ? requireReadableKind : requireKind)(params['ref.kind'])
  const name = params['ref.name']
  const notFound = () => resourceNotFound(kind.kind, name)
  const audited = access === 'read' ? { kind: kind.kind, name } : undefined
  return { tenantId: await resolveTenant(engine, caller, tenant, notFound, audited), kind, name }
}
