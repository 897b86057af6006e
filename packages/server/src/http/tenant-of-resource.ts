import type { TenantInput } from '@skein/contract'
import { resourceNotFound, type Caller } from '@skein/core'
import { requireSeen, resolveTenant, type EngineResources } from '@skein/engine'

interface NamedInPath {
  readonly engine: EngineResources
  readonly caller: Caller
  readonly params: { readonly name: string }
}

/** Whose resource a request names. One that the caller may not see, or of a tenant that it may not, is not
 * found. */
export async function tenantOfResource(
  kind: string,
  { engine, caller, params: { name } }: NamedInPath,
  tenant: TenantInput | undefined,
): Promise<string> {
  const ref = { kind, name }
  const tenantId = await resolveTenant(engine, caller, tenant, () => resourceNotFound(ref.kind, name), ref)
  await requireSeen(engine, caller, tenantId, ref)
  return tenantId
}
