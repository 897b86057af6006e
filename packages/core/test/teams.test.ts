import { KINDS, type Kind } from '@skein/contract'
import { PERMISSIONS, permissionsInTeam, permissionsOf, ROLES, TEAM_ROLES } from '@skein/contract/facts'
import { assert, constantFrom, dictionary, property, subarray } from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  accessTo,
  listedWorkspaces,
  requireDriver,
  seesResource,
  seesWorkspace,
  whereToLook,
  type CallerTeams,
} from '../src/index.ts'
import { callerAs } from './caller.ts'

const teams: CallerTeams = {
  teamOf: new Map([
    ['pay', 'payments'],
    ['lab', 'research'],
    ['docs', ''],
  ]),
  roles: new Map([['payments', 'member']]),
}
const member = callerAs('member', { teams })
const kindOf = (name: string): Kind => {
  const kind = KINDS.find((candidate) => candidate.kind === name)
  if (!kind) throw new Error(name)
  return kind
}

describe('the policy of teams', () => {
  test('hides what belongs to another team, whatever is asked', () => {
    for (const permission of PERMISSIONS) expect(accessTo(member, 'research', permission)).toBe('hide')
  })

  test('leaves what belongs to everyone to the role', () => {
    for (const role of ROLES) {
      for (const permission of PERMISSIONS) {
        const expected = permissionsOf(role).includes(permission) ? 'allow' : 'deny'
        expect(accessTo(callerAs(role, { teams }), '', permission)).toBe(expected)
        expect(accessTo(callerAs(role), 'research', permission)).toBe(expected)
      }
    }
  })

  test('gives nobody more than the role, except a lead who can drive agents', () => {
    for (const role of ROLES) {
      for (const teamRole of TEAM_ROLES) {
        const more = permissionsInTeam(role, teamRole).filter((each) => !permissionsOf(role).includes(each))
        const isDriver = teamRole === 'lead' && permissionsOf(role).includes('agent.drive')
        const expected =
          isDriver && !permissionsOf(role).includes('agent.drive-any') ? ['agent.drive-any'] : []
        expect(more).toEqual(expected)
      }
    }
  })

  test('lets a viewer of a team drive nothing in it, not even its own agents', () => {
    const viewer = callerAs('member', { teams: { ...teams, roles: new Map([['payments', 'viewer']]) } })
    const own = {
      workspace: 'pay',
      account: 'ada',
      ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
      path: ['a'],
    } as const
    expect(() => requireDriver(viewer, own)).toThrow('The role viewer in the team payments')
    expect(() => requireDriver(viewer, { ...own, workspace: 'docs' })).not.toThrow()
  })

  test('lets a lead drive everyone’s agents in the team, and only there', () => {
    const lead = callerAs('member', { teams: { ...teams, roles: new Map([['payments', 'lead']]) } })
    const bobs = {
      workspace: 'pay',
      account: 'bob',
      ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
      path: ['a'],
    } as const
    expect(() => requireDriver(lead, bobs)).not.toThrow()
    expect(() => requireDriver(lead, { ...bobs, workspace: 'docs' })).toThrow('only its own agents')
  })
})

test('a hidden workspace is looked up like one that nobody has', () => {
  expect(whereToLook(member, 'lab')).toBe('')
  expect(whereToLook(member, 'pay')).toBe('pay')
  expect(whereToLook(member, 'unheard-of')).toBe('unheard-of')
})

test('lists are limited to what is seen, and not at all if nothing is hidden', () => {
  const division = dictionary(constantFrom('a', 'b', 'c', 'd'), constantFrom('', 'x', 'y'))
  assert(
    property(division, subarray(['x', 'y']), (teamOf, own) => {
      const caller = callerAs('viewer', {
        teams: {
          teamOf: new Map(Object.entries(teamOf)),
          roles: new Map(own.map((team) => [team, 'viewer'])),
        },
      })
      const seen = Object.keys(teamOf).filter((name) => seesWorkspace(caller, name))
      const isAll = seen.length === Object.keys(teamOf).length
      expect(listedWorkspaces(caller)).toEqual(isAll ? undefined : seen)
    }),
  )
})

const sees = (kind: string, name: string, document: object) =>
  seesResource(member, kindOf(kind), name, { ...document })

test('a resource is hidden if it is about a hidden workspace', () => {
  expect(sees('workspace', 'lab', {})).toBe(false)
  expect(sees('workspace', 'pay', {})).toBe(true)
  expect(sees('team', 'research', {})).toBe(false)
  expect(sees('team', 'payments', {})).toBe(true)
  expect(sees('schedule', 'nightly', { workspace: 'lab' })).toBe(false)
  expect(sees('schedule', 'nightly', { workspace: 'docs' })).toBe(true)
  expect(sees('integration', 'chat', { workspaces: ['pay', 'lab'] })).toBe(false)
  expect(sees('integration', 'chat', { workspaces: ['pay', 'docs'] })).toBe(true)
  expect(sees('integration', 'chat', { workspaces: [] })).toBe(false)
  expect(sees('persona', 'reviewer', {})).toBe(true)
})
