import { createTestDatabase } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database, FleetFeed, FleetReader, type FleetFilter } from '../src/index.ts'

const TENANT = '0199d2f4-0000-7000-8000-00000000000a'

let owner: Client
let database: Database

/** Ada has so many agents that statistics know nobody else; bob has none. */
beforeAll(async () => {
  const { ownerUrl, serverUrl } = await createTestDatabase()
  owner = new Client({ connectionString: ownerUrl })
  await owner.connect()
  database = new Database({ connectionString: serverUrl, maxConnections: 1, applicationName: 'test' })
  await owner.query(`insert into tenant (id, provider, org) values ($1, 'PROVIDER_CODEHOST_APP', 'acme')`, [
    TENANT,
  ])
  await owner.query(
    `insert into agent (id, tenant_id, key, root_key, parent_key, owner_provider, account, workspace, pool,
       phase, is_terminal, labels, cost_micros, state, created_at, updated_at)
     select gen_random_uuid(), $1, 'k' || n, 'k' || n, '', 'PROVIDER_CODEHOST_OAUTH', 'ada', 'default', 'default',
       'PHASE_WAITING', n % 2 = 0, '{}', 0, json_build_object('filler', repeat('x', 500)), now(), now()
     from generate_series(1, 20000) n`,
    [TENANT],
  )
  await owner.query(
    `insert into outbox (tenant_id, agent_id, first_sequence, last_sequence, created_at)
     select $1, gen_random_uuid(), n, n, now() from generate_series(1, 20000) n`,
    [TENANT],
  )
  await owner.query('analyze agent, outbox')
})

afterAll(() => Promise.all([owner.end(), database.close()]))

const everything: FleetFilter = {
  owner: undefined,
  workspace: undefined,
  workspaces: undefined,
  under: undefined,
  includeTerminal: true,
  phases: undefined,
  labels: {},
}
const bob = { provider: 'PROVIDER_CODEHOST_OAUTH', account: 'bob' }
const FIRST_PAGE = `'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 51, null, '{}', null`

/** Prepares the statement on this connection, where it can then be asked about. */
async function planOf(statement: string, values: string, filter: Partial<FleetFilter>): Promise<string> {
  return database.forTenant(TENANT, async (transaction) => {
    await new FleetReader(transaction).list({ ...everything, ...filter }, undefined, 0)
    await new FleetFeed(transaction).after({ xid: 0n, id: 0n }, 0)
    const { rows } = await transaction.query(`explain execute ${statement}(${values})`)
    return JSON.stringify(rows)
  })
}

test.each([
  ['fleet_live', 'agent_fleet', { includeTerminal: false }],
  ['fleet_all', 'agent_fleet', {}],
  ['fleet_live_of_account', 'agent_fleet_by_account', { owner: bob, includeTerminal: false }],
  ['fleet_all_of_account', 'agent_fleet_by_account', { owner: bob }],
] as const)('%s walks %s in its order, however many agents others have', async (statement, index, filter) => {
  const values = 'owner' in filter ? `${FIRST_PAGE}, '${bob.provider}', '${bob.account}'` : FIRST_PAGE
  const plan = await planOf(statement, values, filter)
  expect(plan).toContain(`using ${index} on agent`)
  expect(plan).not.toContain('Seq Scan')
})

const MANY = Array.from({ length: 65 }, (_, index) => `w-${index}`)

test.each([
  ['fleet_seen_live', 'agent_fleet', { workspaces: MANY, includeTerminal: false }],
  ['fleet_seen_all', 'agent_fleet', { workspaces: MANY }],
  [
    'fleet_seen_live_of_account',
    'agent_fleet_by_account',
    { owner: bob, workspaces: MANY, includeTerminal: false },
  ],
  ['fleet_seen_all_of_account', 'agent_fleet_by_account', { owner: bob, workspaces: MANY }],
] as const)('%s walks %s for a caller who sees some workspaces', async (statement, index, filter) => {
  const owned = 'owner' in filter ? `, '${bob.provider}', '${bob.account}'` : ''
  const plan = await planOf(statement, `${FIRST_PAGE}${owned}, '{"default":1}'`, filter)
  expect(plan).toContain(`using ${index} on agent`)
  expect(plan).not.toContain('Seq Scan')
})

test('a caller who sees few workspaces gets their agents by workspace', async () => {
  const values = FIRST_PAGE.replace(/, null$/, '')
  const plan = await planOf('fleet_probed', `${values}, '{default}', '{f,t}'`, { workspaces: ['default'] })
  expect(plan).toContain('using agent_by_workspace on agent')
  expect(plan).not.toContain('Seq Scan')
})

test('a narrowed list that walks for too long is refused, and says what to ask for instead', async () => {
  await owner.query('begin')
  await owner.query('lock table agent in access exclusive mode')
  const narrowed = { ...everything, labels: { team: 'none' } }
  const listed = database.forTenant(TENANT, (transaction) =>
    new FleetReader(transaction, 20).list(narrowed, undefined, 10),
  )
  await expect(listed).rejects.toMatchObject({ reason: 'FILTER_TOO_BROAD' })
  await owner.query('rollback')
})

test('a tree is found by its keys', async () => {
  const plan = await planOf('fleet_of_tree', `${FIRST_PAGE}, null, null, 'k1', true`, { under: 'k1' })
  expect(plan).toContain('agent_tenant_id_key_key')
  expect(plan).not.toContain('Seq Scan')
})

test('the feed is read from its place on, in the order of transactions', async () => {
  const plan = await planOf('fleet_feed_after', `'1', 0, 500`, {})
  expect(plan).toMatch(/Index Scan using outbox_[0-9a-z_]*tenant_id_xid_id_idx/)
  expect(plan).not.toContain('Seq Scan on outbox')
})

test('a spawn reads none of the other roots', async () => {
  await owner.query('begin')
  await owner.query('lock table agent in access exclusive mode')
  const { rows } = await database.forTenant(TENANT, (transaction) =>
    transaction.query(
      `select prepare_spawn('${TENANT}', 'default', '', '', '', null, '') ->> 'liveChildren' as children`,
    ),
  )
  expect(rows).toEqual([{ children: '0' }])
  await owner.query('rollback')
})

test('a fleet of many workspaces is walked in its order too, and no further than its first page', async () => {
  await owner.query(
    `update agent set workspace = 'w-' || abs(hashtext(key)) / 7 % 1000 where abs(hashtext(key)) % 7 = 0`,
  )
  await owner.query('analyze agent')
  const plan = await database.forTenant(TENANT, async (transaction) => {
    await new FleetReader(transaction).list({ ...everything, includeTerminal: false }, undefined, 0)
    const { rows } = await transaction.query(
      `explain (analyze, costs off, timing off, buffers off) execute fleet_live(${FIRST_PAGE})`,
    )
    return JSON.stringify(rows)
  })
  expect(plan).toMatch(/using agent_fleet on agent \(actual rows=51/)
})
