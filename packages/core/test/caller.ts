import type { Role } from '@skein/contract'
import type { Caller } from '../src/index.ts'

export function callerAs(role: Role, facts: Partial<Caller> = {}): Caller {
  return {
    tenantId: '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10',
    tenant: { provider: 'PROVIDER_CODEHOST_APP', org: 'acme' },
    ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
    account: 'ada',
    role,
    token: 'ada-laptop',
    pools: [],
    servesAllTenants: false,
    ...facts,
  }
}
