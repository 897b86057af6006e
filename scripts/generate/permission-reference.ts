import {
  OPERATIONS,
  SCIM_DISCOVERY,
  SCIM_OPERATIONS,
  TEAM_EFFECTS,
  type Operation,
  type OperationId,
} from '@skein/contract'
import { permissionsInTeam, permissionsOf, ROLES, TEAM_ROLES, type Role } from '@skein/contract/facts'
import { GENERATED, anchor, code, table } from './markdown.ts'

type TableOperation = Operation & { readonly id: OperationId }

const EFFECTS = { hides: 'not found', omits: 'left out', none: '' } as const

const REACH: Readonly<Partial<Record<Role, string>>> = { run: 'its subtree', guest: 'its agent' }

/** An agent sees neither the machines it runs on, nor changes what it may spend. */
const NOT_BY_RUNS: ReadonlySet<string> = new Set(['listRunners', 'setBudget'])

/** docs/permissions.md, generated from the tables that the policy in core uses. */
export function permissionReference(): string {
  return `${GENERATED}

# Permissions

Each operation needs a permission. A [role](concepts.md#tenants-accounts-keys-and-roles) is a set of permissions, and [teams](guides/teams.md) decide where they apply. Whatever is not listed is denied.

## Operations

“own” means agents of the caller's own account. The last column says what callers with the role \`viewer\` or \`member\` get for something that belongs to a team they are not in. It is also what every caller gets for another tenant, except operators.

${operationTable()}

Operations without a permission check the caller themselves: one gives it its credential, the other has its own signature.

## SCIM

What identity providers send ([connect a directory](guides/directories.md)). Only the key of a directory can, and it can do nothing else.

${scimTable()}

## Teams

What a key may do in the workspaces of a team, by its role and by the account's role in the team. A workspace without a team belongs to everyone, and there the key's role alone counts. The roles \`admin\` and \`operator\` see every team. A \`runner\` is bound to its pools, a \`run\` to its subtree, a \`guest\` to its link and a \`directory\` to what it sends over SCIM.

${teamTable()}
`
}

function operationTable(): string {
  return table(
    ['Operation', 'Permission', ...ROLES.map(code), 'Of another team'],
    OPERATIONS.map((operation: TableOperation) => [
      `[${operation.id}](api.md#${anchor(operation.summary)})`,
      operation.permission === 'none' ? '' : code(operation.permission),
      ...ROLES.map((role) => reachOf(operation, role)),
      EFFECTS[TEAM_EFFECTS[operation.id]],
    ]),
  )
}

function scimTable(): string {
  return table(
    ['Request', 'Permission', ...ROLES.map(code)],
    [...SCIM_OPERATIONS, SCIM_DISCOVERY].map((operation) => [
      code(`${operation.method} ${operation.path}`),
      code(operation.permission),
      ...ROLES.map((role) => reachOf(operation, role)),
    ]),
  )
}

function reachOf({ id, permission }: Operation, role: Role): string {
  if (role === 'run' && NOT_BY_RUNS.has(id)) return ''
  if (permission === 'none') return 'yes'
  const own = permissionsOf(role)
  if (!own.includes(permission)) return ''
  if (permission.startsWith('agent.') && REACH[role] !== undefined) return REACH[role]
  return permission === 'agent.drive' && !own.includes('agent.drive-any') ? 'own' : 'yes'
}

function teamTable(): string {
  const roles: readonly Role[] = ['viewer', 'member']
  return table(
    ['Role of the key', ...TEAM_ROLES.map((role) => `${code(role)} of the team`), 'Not in the team'],
    roles.map((role) => [
      code(role),
      ...TEAM_ROLES.map((teamRole) => {
        const permissions = permissionsInTeam(role, teamRole)
        if (permissions.includes('agent.drive-any')) return 'reads, drives every agent'
        return permissions.includes('agent.drive') ? 'reads, drives its own agents' : 'reads'
      }),
      'sees nothing',
    ]),
  )
}
