import { expect, test } from 'vitest'
import {
  nameOfTenant,
  removalStage,
  requireConfirmation,
  requireNamedProvider,
  requireOpenTenant,
  requireOtherTenant,
  tenantStateOf,
} from '../src/index.ts'
import { callerAs } from './caller.ts'

const tenant = { provider: 'PROVIDER_CODEHOST_APP', org: 'acme' } as const

const stage = (now: number, emptiedAt?: number) =>
  removalStage({ now, settleMs: 10, closedAt: 100, emptiedAt })

test('a tenant that is being deleted counts as nothing else', () => {
  expect(tenantStateOf({ suspendedAt: undefined, closedAt: undefined })).toBe('TENANT_STATE_ACTIVE')
  expect(tenantStateOf({ suspendedAt: 1, closedAt: undefined })).toBe('TENANT_STATE_SUSPENDED')
  expect(tenantStateOf({ suspendedAt: 1, closedAt: 2 })).toBe('TENANT_STATE_DELETING')
  expect(() => requireOpenTenant({ tenant, closedAt: 2 })).toThrow('acme is being deleted')
  expect(requireOpenTenant({ tenant, closedAt: undefined })).toBeUndefined()
})

test('a tenant is named by provider and organization, both of which it needs', () => {
  expect(nameOfTenant(tenant)).toBe('codehost_app:acme')
  expect(() => requireNamedProvider({ ...tenant, provider: 'PROVIDER_UNSPECIFIED' })).toThrow('invalid')
  expect(requireNamedProvider(tenant)).toBeUndefined()
  expect(() => requireConfirmation({ tenant }, 'Acme')).toThrow('confirm')
  expect(requireConfirmation({ tenant }, 'acme')).toBeUndefined()
})

test('nobody may lock themselves out', () => {
  const caller = callerAs('operator')
  expect(() => requireOtherTenant(caller, caller.tenantId)).toThrow('their own tenant')
  expect(requireOtherTenant(caller, 'another')).toBeUndefined()
})

test('a deletion waits until no server accepts the keys, and again after the rows are gone', () => {
  expect([stage(100), stage(109), stage(110)]).toEqual(['settle', 'settle', 'remove'])
  expect([stage(200, 195), stage(204, 195), stage(205, 195)]).toEqual(['settle', 'settle', 'finish'])
})
