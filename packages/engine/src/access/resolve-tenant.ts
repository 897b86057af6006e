import { SkeinError, type TenantInput } from '@skein/contract'
import { chooseTenant, type Caller } from '@skein/core'
import { findTenantId } from '@skein/store'
import type { EngineResources } from '../resources.ts'

/**
 * The tenant that a request is about. One that the caller may not know of and one that does not exist are the
 * same: `whenHidden` says how, so that the answer is also the same as for a missing resource.
 */
export async function resolveTenant(
  { database }: EngineResources,
  caller: Caller,
  asked: TenantInput | undefined,
  whenHidden: () => SkeinError = () => new SkeinError('TENANT_NOT_FOUND'),
): Promise<string> {
  const choice = chooseTenant(caller, asked)
  switch (choice.type) {
    case 'own':
      return caller.tenantId
    case 'hidden':
      throw whenHidden()
    case 'other': {
      const id = await database.statement((session) => findTenantId(session, choice.tenant))
      if (id === undefined) throw whenHidden()
      return id
    }
  }
}
