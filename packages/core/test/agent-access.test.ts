import type { Role } from '@skein/contract'
import { describe, expect, test } from 'vitest'
import {
  isVisible,
  poolsOf,
  requireBudgetSetter,
  requireDriver,
  requireVisible,
  type AgentIdentity,
} from '../src/index.ts'
import { World } from './agent/world.ts'
import { callerAs } from './caller.ts'

const identity = (...path: string[]): AgentIdentity => ({
  workspace: 'default',
  ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
  account: 'ada',
  path,
})
const missing: unknown = expect.objectContaining({ reason: 'PERMISSION_MISSING' })
const notFound: unknown = expect.objectContaining({ reason: 'AGENT_NOT_FOUND' })

describe('an agent', () => {
  test.each<Role>(['member', 'run'])('is driven by a %s only for its own account', (role) => {
    expect(() => requireDriver(callerAs(role), identity('a'))).not.toThrow()
    expect(() => requireDriver(callerAs(role, { account: 'grace' }), identity('a'))).toThrow(missing)
    const elsewhere = callerAs(role, { ownerProvider: 'PROVIDER_SERVICE_PROFILE' })
    expect(() => requireDriver(elsewhere, identity('a'))).toThrow(missing)
  })

  test.each<Role>(['admin', 'operator'])('is driven by every %s of the tenant', (role) => {
    expect(() => requireDriver(callerAs(role, { account: 'grace' }), identity('a'))).not.toThrow()
  })

  test('does not exist for a run that it is not below', () => {
    const run = callerAs('run', { within: identity('a', 'b') })
    for (const path of [['a'], ['a', 'bc'], ['a', 'c'], ['b'], ['b', 'a', 'b']]) {
      expect(() => requireVisible(run, identity(...path))).toThrow(notFound)
    }
    expect(() => requireVisible(run, { ...identity('a', 'b'), account: 'grace' })).toThrow(notFound)
    expect(() => requireVisible(run, identity('a', 'b'))).not.toThrow()
    expect(() => requireVisible(run, identity('a', 'b', 'c'))).not.toThrow()
  })

  test('is the only one that its guest sees: not even its children', () => {
    const guest = callerAs('guest', { within: identity('a') })
    expect(() => requireVisible(guest, identity('a', 'b'))).toThrow(notFound)
    expect(() => requireVisible(guest, identity('a'))).not.toThrow()
  })

  test('is visible to a guest in one incarnation only, and to everyone else in all', () => {
    const world = new World()
    world.spawn('a')
    const agent = world.agent('a')
    expect(isVisible(agent, { incarnation: agent.incarnation + 1 })).toBe(false)
    expect(isVisible(agent, { incarnation: agent.incarnation })).toBe(true)
    expect(isVisible(agent, {})).toBe(true)
    expect(isVisible(undefined, {})).toBe(false)
  })

  test('cannot change budgets by the key of its run', () => {
    expect(() => requireBudgetSetter(callerAs('run'))).toThrow(missing)
    expect(() => requireBudgetSetter(callerAs('member'))).not.toThrow()
  })
})

describe('a runner', () => {
  const runner = callerAs('runner', { pools: ['small', 'large'] })

  test('cannot poll a pool that its token does not cover, not even together with one that it does', () => {
    expect(() => poolsOf(runner, ['other'])).toThrow(missing)
    expect(() => poolsOf(runner, ['small', 'other'])).toThrow(missing)
    expect(() => poolsOf(callerAs('runner'), undefined)).toThrow(missing)
    expect(() => poolsOf(callerAs('runner'), [])).toThrow(missing)
  })

  test('polls all of its pools unless it names some of them', () => {
    expect(poolsOf(runner, undefined)).toEqual(['small', 'large'])
    expect(poolsOf(runner, [])).toEqual(['small', 'large'])
    expect(poolsOf(runner, ['large'])).toEqual(['large'])
  })
})
