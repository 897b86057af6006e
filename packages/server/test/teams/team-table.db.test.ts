import { setTimeout as pause } from 'node:timers/promises'
import { OPERATIONS, TEAM_EFFECTS, type AgentId, type Operation, type OperationId } from '@skein/contract'
import {
  permissionsInTeam,
  permissionsOf,
  type Permission,
  type Role,
  type TeamRole,
} from '@skein/contract/facts'
import type { TestAnswer, TestClient } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LiveClient } from '../agents/live-client.ts'
import { MARK, PLACES, RESOURCES, TeamWorld, WORKSPACES, type Place } from './team-world.ts'

/** Every operation, by every role, on what belongs to the caller's team, another team, everyone and another tenant. */

interface Asker {
  readonly role: Role
  readonly inTeam?: TeamRole
}

const ASKERS: Readonly<Record<string, Asker>> = {
  viewer: { role: 'viewer', inTeam: 'member' },
  member: { role: 'member', inTeam: 'member' },
  lead: { role: 'member', inTeam: 'lead' },
  onlooker: { role: 'member', inTeam: 'viewer' },
  admin: { role: 'admin' },
  operator: { role: 'operator' },
  runner: { role: 'runner' },
  run: { role: 'run' },
  guest: { role: 'guest' },
}

const NOBODY = 'nobody'
const BOUND: ReadonlySet<Role> = new Set(['run', 'guest'])

let teams: TeamWorld
let live: LiveClient
/** By asker and place. */
const agents = new Map<string, AgentId>()
const doomed = new Map<string, AgentId>()
let spawned = 0
/** Has a pull request, in the other team. */
let proposer: AgentId

beforeAll(async () => {
  teams = await TeamWorld.start()
  const bound = await teams.agentOf('member', 'own team', 'bound')
  proposer = await teams.agentOf('ada', 'other team', `${MARK}-agent`)
  await teams.world.sql(
    `insert into pull_request (tenant_id, name, agent_id, workspace, account, agent, code_host, owner, repository,
       number, url, title, state, is_draft, head, base, created_at, updated_at, look_at)
     select tenant_id, '${MARK}-1', id, workspace, account, '${MARK}-agent', 'github', 'acme', 'shop', 1, '', '',
       'open', false, '', 'main', now(), now(), 'infinity' from agent where key like '%/${MARK}-agent'`,
  )
  await teams.world.sql(
    `insert into host_watch (tenant_id, workspace, code_host, owner, repository, look_at)
     values ($1, $2, 'github', 'acme', '${MARK}', 'infinity')`,
    [teams.world.tenant.id, WORKSPACES['other team']],
  )
  const spender = await teams.world.take(await teams.agentOf('ada', 'other team', `${MARK}-spender`))
  const usage = { cost: 1, inputTokens: '1', cachedInputTokens: '0', outputTokens: '1' }
  await teams.world.beat(spender, { usage })
  await teams.admin.write('budget', MARK, { amount: 1, team: MARK })
  await teams.admin.write('budget', 'everything', { amount: 1, description: MARK })
  const run = await teams.world.take(bound)
  teams.clients.set('run', teams.world.tenant.client(run.runKey))
  const link = { workspace: WORKSPACES['own team'], agent: ['bound'], account: 'member' }
  const { document } = await teams.admin.write('share-link', 'bound', link)
  teams.clients.set('guest', teams.world.tenant.client(String(document['key'])))
  for (const [asker, { role }] of Object.entries(ASKERS)) {
    for (const place of PLACES) {
      const account =
        asker === 'admin' ? 'ada' : asker === 'operator' ? 'olga' : BOUND.has(role) ? 'member' : asker
      const suffix = `${asker}-${place === 'other team' ? MARK : 'agent'}`
      agents.set(`${asker}/${place}`, await teams.agentOf(account, place, suffix))
      doomed.set(`${asker}/${place}`, await teams.agentOf(account, place, `doomed-${suffix}`))
    }
    if (BOUND.has(role)) agents.set(`${asker}/own team`, bound)
  }
  const child = await teams.agentOf('member', 'own team', ['bound', 'doomed'])
  doomed.set('run/own team', child)
  live = await LiveClient.of(teams.world.server, '')
}, 120_000)

afterAll(() => teams.world.close())

interface Sent {
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, string>>
}

interface Target {
  readonly agentId: object
  readonly workspace: string
  readonly resource: string
  readonly tenant?: { readonly provider: string; readonly org: string }
}

/** Fields beside the agent's id. Those that need something to be there are wrong on purpose: access comes first. */
const FIELDS: Readonly<Partial<Record<OperationId, object>>> = {
  stopTurn: { runId: '99' },
  setBudget: { maxCost: 3 },
  queueFollowUp: { description: 'More.' },
  removeFollowUp: { followUpId: 'x' },
  createTasks: { tasks: [{ subject: 'x' }] },
  updateTasks: { tasks: [{ id: 'x' }] },
  readDiff: { diffId: 'x' },
  commentOnDiff: { diffId: 'x', file: 0, side: 'after', line: 1, text: 'x' },
}

function requestOf(operation: Operation, id: OperationId, asker: string, target: Target): Sent {
  const { tenant } = target
  const query = tenant && { 'ref.tenant.provider': tenant.provider, 'ref.tenant.org': tenant.org }
  const named = { ...(query && { query }) }
  if (id === 'spawnAgent') {
    const path = asker === 'run' && target.workspace === WORKSPACES['own team'] ? ['bound'] : []
    spawned += 1
    const agentId = {
      workspace: target.workspace,
      agent: [...path, `spawned-${spawned}`],
      ...(tenant && { tenant }),
    }
    return { path: operation.path, body: { agentId, description: 'x' } }
  }
  if (operation.body && 'agentId' in operation.body.properties && TEAM_EFFECTS[id] === 'hides')
    return { path: operation.path, body: { agentId: target.agentId, ...FIELDS[id] } }
  if (id === 'readResource' || id === 'resourceHistory')
    return {
      ...named,
      path: operation.path.replace('{ref.kind}', 'workspace').replace('{ref.name}', target.workspace),
    }
  return { ...named, path: operation.path.replace('{name}', target.resource) }
}

const answerOf = async (operation: Operation, asker: string, { path, body, query = {} }: Sent) => {
  const headers = {
    ...(operation.id === 'waitForAgent' && { prefer: 'wait=0' }),
    ...(asker === 'operator' && { 'x-skein-justification': 'A test.' }),
  }
  const client = teams.client(asker)
  // One that is no POST comes to its end.
  if (operation.streams === true && operation.method === 'POST') return stream(client, path, body ?? {})
  return client.send(operation.method, path, body, { headers, query })
}

/** The beginning of a stream as an answer, or the error instead of it. */
async function stream(
  client: TestClient,
  path: string,
  body: object,
): Promise<Pick<TestAnswer, 'status' | 'text'>> {
  const controller = new AbortController()
  const headers = { authorization: `Bearer ${client.key ?? ''}` }
  const response = await live.post(path, body, { headers, signal: controller.signal })
  let text = ''
  response
    .setEncoding('utf8')
    .on('data', (chunk) => (text += String(chunk)))
    .on('error', () => {})
  const ended = new Promise((resolve) => response.once('end', resolve))
  await Promise.race([ended, pause(300)])
  controller.abort()
  return { status: response.statusCode ?? 0, text }
}

function targetAt(id: OperationId, asker: string, place: Place): Target {
  const found = (id === 'killAgent' ? doomed : agents).get(`${asker}/${place}`)
  if (!found) throw new Error(`No agent of ${asker} in ${place}`)
  return {
    agentId: found,
    workspace: WORKSPACES[place],
    resource: RESOURCES[place],
    ...(place === 'other tenant' && { tenant: teams.rival.tenant }),
  }
}

/** What is like the target, but is not there. */
function missingAt(id: OperationId, asker: string, place: Place): Target {
  const target = targetAt(id, asker, place)
  if (place === 'other tenant') {
    const tenant = { ...teams.rival.tenant, org: 'no-such-org' }
    return { ...target, tenant, agentId: { ...target.agentId, tenant } }
  }
  const { agentId } = targetAt(id, asker, 'no team')
  return { agentId: { ...agentId, agent: [NOBODY] }, workspace: NOBODY, resource: NOBODY }
}

type Access = 'allow' | 'deny' | 'hide'

function expected(operation: Operation, asker: string, place: Place): Access {
  const { role, inTeam } = ASKERS[asker] ?? { role: 'guest' }
  const permission = operation.permission as Permission
  if (!permissionsOf(role).includes(permission)) return 'deny'
  if (place === 'other tenant') return role === 'operator' ? 'allow' : 'hide'
  if (BOUND.has(role)) {
    if (place !== 'own team') return 'hide'
    // An agent cannot change budgets, not even its children's.
    return role === 'run' && operation.id === 'setBudget' ? 'deny' : 'allow'
  }
  if (inTeam === undefined || place === 'no team') return 'allow'
  if (place === 'other team') return 'hide'
  return permissionsInTeam(role, inTeam).includes(permission) ? 'allow' : 'deny'
}

/** Without what names the request or the thing itself. */
function shape({ status, text }: Pick<TestAnswer, 'status' | 'text'>, target: Target): string {
  return `${status} ${text.replaceAll(target.workspace, 'X').replaceAll(target.resource, 'X')}`
}

const idOf = (operation: Operation) => operation.id as OperationId
const withEffect = (effect: string) =>
  OPERATIONS.filter((operation) => TEAM_EFFECTS[idOf(operation)] === effect)

describe.each(withEffect('hides').map((operation) => [operation.id, operation as Operation] as const))(
  '%s',
  (id, operation) => {
    test.each(Object.keys(ASKERS))('by %s', async (asker) => {
      for (const place of PLACES) {
        const target = targetAt(id, asker, place)
        const missing = missingAt(id, asker, place)
        const answer = await answerOf(operation, asker, requestOf(operation, id, asker, target))
        const other = await answerOf(operation, asker, requestOf(operation, id, asker, missing))
        const was =
          answer.status === 403 ? 'deny' : shape(answer, target) === shape(other, missing) ? 'hide' : 'allow'
        const what = `${id} by ${asker} in ${place} (${answer.status})`
        expect(`${what}: ${was}`).toBe(`${what}: ${expected(operation, asker, place)}`)
      }
    })
  },
)

const DIVIDED = Object.entries(ASKERS)
  .filter(([, { inTeam }]) => inTeam !== undefined)
  .map(([asker]) => asker)

/** Lists of everything, and of everyone. */
const LIST_BODIES: Readonly<Partial<Record<OperationId, object>>> = {
  listAgents: { account: '*', includeTerminal: true },
  watchAgents: { account: '*', includeTerminal: true },
  listFleet: { account: '*', includeTerminal: true },
  watchFleet: { account: '*', includeTerminal: true },
  summarizeFleet: { account: '*' },
}
const LISTED_KINDS = [
  'workspace',
  'team',
  'budget',
  'schedule',
  'trigger',
  'integration',
  'share-link',
  'pull-request',
]

describe.each(withEffect('omits').map((operation) => [operation.id, operation as Operation] as const))(
  '%s',
  (id, operation) => {
    const kinds = id === 'listResources' ? LISTED_KINDS : ['']
    const cases = Object.keys(ASKERS).flatMap((asker) => kinds.map((kind) => [asker, kind] as const))
    test.each(cases)('by %s %s', async (asker, kind) => {
      const path = operation.path.replace('{ref.kind}', kind)
      const asked = id === 'listFleetPullRequests' ? { agentIds: [proposer] } : LIST_BODIES[id]
      const body = operation.method === 'POST' ? { body: { ...asked } } : {}
      const answer = await answerOf(operation, asker, { path, ...body })
      const { role } = ASKERS[asker] ?? { role: 'guest' }
      const isPermitted = permissionsOf(role).includes(operation.permission as Permission)
      // A run may list, but only below itself, and no runners at all.
      const statuses = role === 'run' ? [200, 403] : [isPermitted ? 200 : 403]
      expect(statuses).toContain(answer.status)
      const isSilent = id === 'watchFleet' || id === 'listRunners'
      const seesAll = role === 'admin' || role === 'operator'
      expect(answer.text.includes(MARK)).toBe(seesAll && !isSilent)
      expect(answer.text).not.toContain('rival')
    })
  },
)

describe.each(withEffect('none').map((operation) => [operation.id, operation as Operation] as const))(
  '%s tells nobody in another team of it',
  (_id, operation) => {
    test.each(DIVIDED)('by %s', async (asker) => {
      const { path = operation.path, request: body } = operation.example
      const sent: Sent = {
        path: path.split('?', 1)[0] ?? path,
        ...(body !== undefined && { body: Object(body) as Record<string, unknown> }),
      }
      const answer = await answerOf(operation, asker, operation.acceptsAnyBody === true ? { path } : sent)
      expect(answer.text).not.toContain(MARK)
      const { role } = ASKERS[asker] ?? { role: 'guest' }
      const isPermitted = permissionsOf(role).includes(operation.permission as Permission)
      const isRefused = operation.permission !== 'none' && !isPermitted
      expect(answer.status === 403 || !isRefused).toBe(true)
    })
  },
)
