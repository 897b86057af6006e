import { SkeinError, type TenantInput } from '@skein/contract'
import { chooseTenant, type Caller, type ResourceRef } from '@skein/core'
import { findTenantId } from '@skein/store'
import type { EngineResources } from '../resources.ts'

/**
 * The tenant that a request is about. One that the caller may not know of and one that does not exist are the
 * same: `whenHidden` says how, so that the answer is also the same as for a missing resource.
 */
export async function resolveTenant(
  engine: EngineResources,
  caller: Caller,
  asked: TenantInput | undefined,
  whenHidden: () => SkeinError = () => new SkeinError('TENANT_NOT_FOUND'),
  /** What the request is about, for the audit. */
  about: ResourceRef = { kind: '', name: '' },
): Promise<string> {
  const choice = chooseTenant(caller, asked)
  switch (choice.type) {
    case 'own':
      return caller.tenantId
    case 'hidden':
      throw whenHidden()
    case 'other': {
      const id = await engine.database.statement((transaction) => findTenantId(transaction, choice.tenant))
      if (id === undefined) throw whenHidden()
      await noteRead(engine, caller, id, about)
      return id
    }
  }
}

/** Before anything is read: what an operator sees in another tenant, that tenant can see too. */
async function noteRead(
  { auditTrail, clock }: EngineResources,
  { ownerProvider, account, role, token, reads }: Caller,
  tenantId: string,
  { kind, name }: ResourceRef,
): Promise<void> {
  if (!reads) return
  await auditTrail.note({
    tenantId,
    kind,
    name,
    ownerProvider,
    account,
    role,
    token,
    at: clock.now(),
    ...reads,
  })
}
