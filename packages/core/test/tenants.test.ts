import { expect, test } from 'vitest'
import {
  hasArrived,
  mapKeyOfTenant,
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

test('what a tenant left is removed only once another cell has it', () => {
  const left = { id: 'a', moveId: '2', step: 'moved', cell: 'c2' }
  const there = { id: 'a', moveId: '2', step: undefined, cell: 'c1' }
  expect(hasArrived(there, left, 'c2')).toBe(true)
  expect(hasArrived({ ...there, step: 'arriving' }, left, 'c2')).toBe(false)
  expect(hasArrived({ ...there, id: 'b' }, left, 'c2')).toBe(false)
  expect(hasArrived(there, { ...left, step: 'frozen' }, 'c2')).toBe(false)
  // It has gone on, or was about to.
  for (const step of ['copying', 'moved'])
    expect(hasArrived({ ...there, moveId: '3', step, cell: 'c3' }, left, 'c2')).toBe(true)
  expect(hasArrived({ ...there, moveId: '3' }, left, 'c3')).toBe(true)
  expect(hasArrived({ ...there, moveId: undefined }, left, 'c2')).toBe(true)
  // The cell from which it once came.
  expect(hasArrived({ ...there, moveId: '1', step: 'moved' }, left, 'c2')).toBe(false)
  expect(hasArrived({ ...there, moveId: undefined }, left, 'c3')).toBe(false)
})

test('a line of the map of a load balancer has no spaces in the name of a tenant', () => {
  expect(mapKeyOfTenant(tenant)).toBe('codehost_app:acme')
  expect(mapKeyOfTenant({ ...tenant, org: 'a/b c:d-e_f.g~' })).toBe('codehost_app:a%2Fb%20c%3Ad-e_f.g~')
  expect(mapKeyOfTenant({ ...tenant, org: "(ü+%)!'*" })).toBe('codehost_app:%28%C3%BC%2B%25%29%21%27%2A')
})
