import type { TenantInput } from '@skein/contract'
import { resourceNotFound, type Caller } from '@skein/core'
import { resolveTenant, type EngineResources } from '@skein/engine'

interface NamedInPath {
  readonly engine: EngineResources
  readonly caller: Caller
  readonly params: { readonly name: string }
}

/** Whose resource a request names. One of a tenant that the caller may not see is not found. */
export function tenantOfResource(
  kind: string,
  { engine, caller, params: { name } }: NamedInPath,
  tenant: TenantInput | undefined,
): Promise<string> {
  const ref = { kind, name }
  return resolveTenant(engine, caller, tenant, () => resourceNotFound(ref.kind, name), ref)
}
