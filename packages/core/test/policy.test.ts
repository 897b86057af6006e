import type { Role } from '@skein/contract'
import { PERMISSIONS, ROLES, type Permission } from '@skein/contract/facts'
import { describe, expect, test } from 'vitest'
import {
  chooseTenant,
  isAllowed,
  isGrantable,
  requireJustification,
  requirePermission,
} from '../src/index.ts'
import { callerAs } from './caller.ts'

const yes = true
const no = false

/** Spelled out, so that a change of the policy has to be made twice and is seen in review. */
const ALLOWED: Readonly<Record<Role, Readonly<Record<Permission, boolean>>>> = {
  viewer: {
    'identity.read': yes,
    'session.open': yes,
    'share.read': no,
    'catalog.read': yes,
    'catalog.write': no,
    'ceiling.write': no,
    'audit.read': no,
    'agent.follow': yes,
    'agent.read': yes,
    'agent.drive': no,
    'agent.drive-any': no,
    'run.execute': no,
    'people.provision': no,
    'tenant.manage': no,
  },
  member: {
    'identity.read': yes,
    'session.open': yes,
    'share.read': no,
    'catalog.read': yes,
    'catalog.write': no,
    'ceiling.write': no,
    'audit.read': no,
    'agent.follow': yes,
    'agent.read': yes,
    'agent.drive': yes,
    'agent.drive-any': no,
    'run.execute': no,
    'people.provision': no,
    'tenant.manage': no,
  },
  admin: {
    'identity.read': yes,
    'session.open': yes,
    'share.read': no,
    'catalog.read': yes,
    'catalog.write': yes,
    'ceiling.write': no,
    'audit.read': yes,
    'agent.follow': yes,
    'agent.read': yes,
    'agent.drive': yes,
    'agent.drive-any': yes,
    'run.execute': no,
    'people.provision': no,
    'tenant.manage': no,
  },
  operator: {
    'identity.read': yes,
    'session.open': yes,
    'share.read': no,
    'catalog.read': yes,
    'catalog.write': yes,
    'ceiling.write': yes,
    'audit.read': yes,
    'agent.follow': yes,
    'agent.read': yes,
    'agent.drive': yes,
    'agent.drive-any': yes,
    'run.execute': no,
    'people.provision': no,
    'tenant.manage': yes,
  },
  runner: {
    'identity.read': yes,
    'session.open': no,
    'share.read': no,
    'catalog.read': no,
    'catalog.write': no,
    'ceiling.write': no,
    'audit.read': no,
    'agent.follow': no,
    'agent.read': no,
    'agent.drive': no,
    'agent.drive-any': no,
    'run.execute': yes,
    'people.provision': no,
    'tenant.manage': no,
  },
  run: {
    'identity.read': yes,
    'session.open': no,
    'share.read': no,
    'catalog.read': no,
    'catalog.write': no,
    'ceiling.write': no,
    'audit.read': no,
    'agent.follow': yes,
    'agent.read': yes,
    'agent.drive': yes,
    'agent.drive-any': no,
    'run.execute': no,
    'people.provision': no,
    'tenant.manage': no,
  },
  guest: {
    'identity.read': yes,
    'session.open': no,
    'share.read': yes,
    'catalog.read': no,
    'catalog.write': no,
    'ceiling.write': no,
    'audit.read': no,
    'agent.follow': yes,
    'agent.read': no,
    'agent.drive': no,
    'agent.drive-any': no,
    'run.execute': no,
    'people.provision': no,
    'tenant.manage': no,
  },
  directory: {
    'identity.read': no,
    'session.open': no,
    'share.read': no,
    'catalog.read': no,
    'catalog.write': no,
    'ceiling.write': no,
    'audit.read': no,
    'agent.follow': no,
    'agent.read': no,
    'agent.drive': no,
    'agent.drive-any': no,
    'run.execute': no,
    'people.provision': yes,
    'tenant.manage': no,
  },
}

describe('permissions', () => {
  const table = ROLES.flatMap((role) => PERMISSIONS.map((permission) => ({ role, permission })))

  test.each(table)(
    'the role $role has exactly what the table says of $permission',
    ({ role, permission }) => {
      expect(isAllowed(role, permission)).toBe(ALLOWED[role][permission])
    },
  )

  test('a refusal names the role and the permission that it lacks', () => {
    expect(() => requirePermission(callerAs('viewer'), 'catalog.write')).toThrow(
      expect.objectContaining({
        reason: 'PERMISSION_MISSING',
        code: 'PERMISSION_DENIED',
        metadata: { permission: 'catalog.write', role: 'viewer' },
      }),
    )
    expect(() => requirePermission(callerAs('admin'), 'catalog.write')).not.toThrow()
  })
})

const GRANTABLE: Readonly<Record<Role, readonly Role[]>> = {
  viewer: [],
  member: [],
  admin: ['viewer', 'member', 'admin', 'runner'],
  operator: ['viewer', 'member', 'admin', 'operator', 'runner'],
  runner: [],
  run: [],
  guest: [],
  directory: [],
}

describe('tokens of a role', () => {
  test.each(ROLES.flatMap((by) => ROLES.map((role) => ({ by, role }))))(
    '$by may grant $role exactly if the table says so',
    ({ by, role }) => {
      expect(isGrantable(by, role)).toBe(GRANTABLE[by].includes(role))
    },
  )

  test.each(['run', 'guest', 'directory'] as const)('nobody can create the key of a %s', (role) => {
    expect(ROLES.filter((by) => isGrantable(by, role))).toEqual([])
  })
})

const OTHER = { provider: 'PROVIDER_CODEHOST_APP', org: 'other' } as const

describe('the tenant of a request', () => {
  test.each([
    ['nothing', undefined],
    ['an empty tenant', {}],
    ['an unspecified provider', { provider: 'PROVIDER_UNSPECIFIED' as const }],
    ['an empty organization', { org: '' }],
    ['the caller’s own', { provider: 'PROVIDER_CODEHOST_APP' as const, org: 'acme' }],
  ])('is the caller’s own for %s', (_what, asked) => {
    for (const role of ROLES) expect(chooseTenant(callerAs(role), asked)).toEqual({ type: 'own' })
  })

  test('can be another one for operators only; for everyone else it does not exist', () => {
    for (const role of ROLES) {
      const expected = role === 'operator' ? { type: 'other', tenant: OTHER } : { type: 'hidden' }
      expect(chooseTenant(callerAs(role), OTHER)).toEqual(expected)
    }
  })

  test('differs where only the provider differs, because namespaces never mix', () => {
    const asked = { provider: 'PROVIDER_IDP_OIDC' } as const
    expect(chooseTenant(callerAs('admin'), asked)).toEqual({ type: 'hidden' })
    expect(chooseTenant(callerAs('operator'), asked)).toEqual({
      type: 'other',
      tenant: { provider: 'PROVIDER_IDP_OIDC', org: 'acme' },
    })
  })

  test.each(['ACME', 'acme ', 'acmé', '__proto__'])(
    'is not the caller’s own for the organization %j',
    (org) => {
      expect(chooseTenant(callerAs('member'), { org })).toEqual({ type: 'hidden' })
    },
  )
})

describe('a justification', () => {
  test('is required of an operator, and blanks do not count', () => {
    for (const blank of ['', ' ', '\t\n']) {
      expect(() => requireJustification(callerAs('operator'), blank)).toThrow(
        expect.objectContaining({ reason: 'JUSTIFICATION_REQUIRED' }),
      )
    }
    expect(() => requireJustification(callerAs('operator'), 'ticket 7')).not.toThrow()
  })

  test('is required of nobody else', () => {
    for (const role of ROLES.filter((other) => other !== 'operator')) {
      expect(() => requireJustification(callerAs(role), '')).not.toThrow()
    }
  })
})
