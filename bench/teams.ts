/**
 * `npm run bench:teams`: the same agents in two tenants, of which one is divided into teams. Members list and read, in
 * turns in both; prints what each takes and how much more teams cost. The last line is JSON.
 * Options: --teams 1000 --members 10000 --agents 100000 --requests 2000
 */
import { createHash, randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { formatKey, formatKeyId, KEY_PREFIXES, parseKey } from '@skein/contract/facts'
import { Client } from 'pg'
import { percentile, round } from './automations/statistics.ts'
import { BenchClient } from './http-client.ts'
import { setStage } from './stage.ts'

const { values } = parseArgs({
  options: {
    teams: { type: 'string', default: '1000' },
    members: { type: 'string', default: '10000' },
    agents: { type: 'string', default: '100000' },
    requests: { type: 'string', default: '2000' },
  },
})
const teams = Number(values.teams)
const members = Number(values.members)
const agents = Number(values.agents)
const requests = Number(values.requests)

/** So many members take turns: more than a server remembers for the time between two requests of each. */
const CALLERS = Math.min(200, members)
const DIVIDED = '00000000-0000-7000-9000-000000000002'
const PROVIDER = 'PROVIDER_CODEHOST_OAUTH'

/** What a member asks: its own agents, everyone's, the fleet, the counts, and one agent. */
const REQUESTS: readonly (readonly [string, string, (member: number) => object])[] = [
  ['own', '/v1/agents', () => ({ pageSize: 50 })],
  ['everyone', '/v1/agents', () => ({ account: '*', pageSize: 50 })],
  ['fleet', '/v1/fleet', () => ({ account: '*', pageSize: 50 })],
  ['summary', '/v1/fleet/summary', () => ({})],
  ['status', '/v1/agent/status', statusOf],
]

const stage = await setStage()
const owner = new Client({ connectionString: stage.ownerUrl })
try {
  await owner.connect()
  await seed()
  const callers = Array.from({ length: CALLERS }, (_, index) => Math.floor((index * members) / CALLERS))
  const plain = await Promise.all(callers.map((member) => open(stage.tenantId, member)))
  const divided = await Promise.all(callers.map((member) => open(DIVIDED, member)))
  const figures: Record<string, { plainP99Ms: number; teamsP99Ms: number; ratio: number }> = {}
  for (const [name, path, body] of REQUESTS) {
    const took: [number[], number[]] = [[], []]
    for (let count = -CALLERS; count < requests; count++) {
      const index = (count + CALLERS) % CALLERS
      // Neither side is always first: the second finds a warmer machine.
      const order = count % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
      for (const side of order) {
        const ms = await time((side === 0 ? plain : divided)[index], path, body(callers[index] ?? 0))
        if (count >= 0) took[side].push(ms)
      }
    }
    const [plainP99Ms, teamsP99Ms] = took.map((each) => percentile(each, 0.99)) as [number, number]
    const [plainP50Ms, teamsP50Ms] = took.map((each) => percentile(each, 0.5)) as [number, number]
    const ratio = round(teamsP99Ms / plainP99Ms)
    figures[name] = { plainP99Ms: round(plainP99Ms), teamsP99Ms: round(teamsP99Ms), ratio }
    console.log(
      `${name}: p50 ${round(plainP50Ms)} ms without teams, ${round(teamsP50Ms)} with; p99 ${round(plainP99Ms)} and ${round(teamsP99Ms)} ms: ${ratio} (goal 1.2)`,
    )
  }
  for (const client of [...plain, ...divided]) client.close()
  console.log(JSON.stringify({ teams, members, agents, requests, ...figures }))
} finally {
  await owner.end()
  await stage.stop()
}

function statusOf(member: number): object {
  return { agentId: { workspace: `w-${member % teams}`, agent: [`a-${member}`] } }
}

async function time(client: BenchClient | undefined, path: string, body: object): Promise<number> {
  const before = performance.now()
  const answer = await client?.post(path, JSON.stringify(body))
  const ms = performance.now() - before
  if (answer?.includes('"entries":[]') === true) throw new Error(`Nothing was listed: ${path}`)
  return ms
}

/** The member's key, without creating it over HTTP. */
async function open(tenantId: string, member: number): Promise<BenchClient> {
  const keyId = formatKeyId('b', randomBytes(16))
  const key = formatKey(KEY_PREFIXES.apiKey, keyId, randomBytes(32))
  const secret = createHash('sha256')
    .update(parseKey(key)?.secret ?? '')
    .digest()
  await owner.query(
    `insert into api_key (key_id, tenant_id, prefix, kind, name, key_version, secret_sha256, owner_provider, account,
       role, pools, all_tenants, created_at)
     values ($1, $2, 'skn', 'token', 'm-' || $4::int, 1, $3, $5, 'm-' || $4::int, 'member', '{}', false, now())`,
    [keyId, tenantId, secret, member, PROVIDER],
  )
  return BenchClient.open(stage.baseUrl, key)
}

async function seed(): Promise<void> {
  const admin = await BenchClient.open(stage.baseUrl, stage.adminKey)
  const agentId = { workspace: 'default', agent: ['template'] }
  await admin.post('/v1/agent/spawn', JSON.stringify({ agentId, description: 'Look after the house.' }))
  admin.close()
  await owner.query(
    `insert into tenant (id, provider, org) values ($1, 'PROVIDER_CODEHOST_APP', 'divided')`,
    [DIVIDED],
  )
  for (const tenantId of [stage.tenantId, DIVIDED]) await seedTenant(tenantId)
  await owner.query(
    `insert into workspace_team (tenant_id, workspace, team)
     select $1, 'w-' || n, 't-' || n from generate_series(0, $2::int - 1) n`,
    [DIVIDED, teams],
  )
  await owner.query(
    `insert into team_member (tenant_id, owner_provider, account, team, role)
     select $1, $2, 'm-' || n, 't-' || n % $4::int, 'member' from generate_series(0, $3::int - 1) n`,
    [DIVIDED, PROVIDER, members, teams],
  )
  await owner.query('delete from run')
  await owner.query(`delete from agent where key like 'default/%'`)
  await owner.query('vacuum analyze')
}

/** Workspaces, and agents of members in the workspace of their team, mixed by age. */
async function seedTenant(tenantId: string): Promise<void> {
  await owner.query(
    `insert into resource (tenant_id, kind, name, generation, document, created_at, updated_at, updated_by)
     select $1, 'workspace', 'w-' || n, 1, json_build_object('team', case when $3 then 't-' || n else '' end), now(), now(),
       'bench'
     from generate_series(0, $2::int - 1) n`,
    [tenantId, teams, tenantId === DIVIDED],
  )
  await owner.query(
    `insert into agent (id, tenant_id, key, root_key, parent_key, owner_provider, account, workspace, pool, phase,
       is_terminal, labels, cost_micros, state, created_at, updated_at)
     select s.id, $1, s.key, s.key, '', t.owner_provider, s.account, s.workspace, t.pool, 'PHASE_WAITING', false, '{}', 0,
       (t.state::jsonb || '{"phase":"PHASE_WAITING","queue":[]}' || jsonb_build_object('id', s.id,
         'run', t.state::jsonb -> 'run' || '{"state":"ended","endReason":"rested"}',
         'identity', jsonb_build_object('workspace', s.workspace, 'ownerProvider', t.owner_provider,
           'account', s.account, 'path', jsonb_build_array('a-' || n))))::json,
       t.created_at - n * interval '1 millisecond', t.updated_at
     from generate_series(0, $2::int - 1) n, agent t, lateral (
       select gen_random_uuid() as id, 'm-' || n % $3::int as account, 'w-' || n % $3::int % $4::int as workspace,
         'w-' || n % $3::int % $4::int || '/${PROVIDER}/m-' || n % $3::int || '/a-' || n as key) s
     where t.key = 'default/${PROVIDER}/ada/template'`,
    [tenantId, agents, members, teams],
  )
  await owner.query(
    `insert into fleet_count (tenant_id, owner_provider, account, workspace, part, pending, running, waiting, asking)
     select tenant_id, owner_provider, account, workspace, 0, 0, 0, count(*), 0 from agent
     where tenant_id = $1 and workspace <> 'default' group by 1, 2, 3, 4`,
    [tenantId],
  )
}
