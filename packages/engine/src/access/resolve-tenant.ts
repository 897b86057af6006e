import { SkeinError, type TenantInput } from '@skein/contract'
import { chooseTenant, type Caller, type ResourceRef } from '@skein/core'
import { findTenantId } from '@skein/store'
import type { EngineResources } from '../resources.ts'

/**
 * The tenant a request is about. A tenant the caller may not see and one that doesn't exist give the same error,
 * from `whenHidden`, so that it also equals the error for a missing resource.
 */
export async function resolveTenant(
  engine: EngineResources,
  caller: Caller,
  asked: TenantInput | undefined,
  whenHidden: () => SkeinError = () => new SkeinError('TENANT_NOT_FOUND'),
  /** The requested resource, for the audit. */
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

/** Recorded before reading, so that a tenant can see what operators read. */
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
