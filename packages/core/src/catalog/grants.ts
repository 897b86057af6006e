import { SkeinError, type Role } from '@skein/contract'
import { ROLES } from '@skein/contract/facts'
import type { Caller } from '../access/caller.ts'
import { isGrantable } from '../access/policy.ts'
import type { Document } from './document.ts'

/** Callers cannot create, change or delete a key that can do more than their own. */
export function requireGrantable(caller: Caller, tokens: readonly (Document | undefined)[]): void {
  if (caller.role !== 'operator' && tokens.some((token) => token?.['allTenants'] === true)) {
    throw new SkeinError('ROLE_NOT_GRANTABLE', {
      message: 'Only an operator can write tokens that serve every tenant.',
      metadata: { role: 'runner' },
    })
  }
  for (const role of tokens.map((token) => token?.['role']).filter(isRole)) {
    if (isGrantable(caller.role, role)) continue
    throw new SkeinError('ROLE_NOT_GRANTABLE', {
      message: `A caller with the role ${caller.role} cannot write tokens with the role ${role}.`,
      metadata: { role },
    })
  }
}

function isRole(value: unknown): value is Role {
  return ROLES.some((role) => role === value)
}
