import { createTestDatabase } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentReader, Database, type AgentFilter } from '../src/index.ts'

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
       'PHASE_WAITING', false, '{}', 0, json_build_object('filler', repeat('x', 500)), now(), now()
     from generate_series(1, 20000) n`,
    [TENANT],
  )
  await owner.query('analyze agent')
})

afterAll(() => Promise.all([owner.end(), database.close()]))

async function planOf(statement: string, filter: Partial<AgentFilter>, seen = ''): Promise<string> {
  const everything = {
    parentKey: '',
    owner: undefined,
    includeTerminal: true,
    phases: undefined,
    labels: {},
    workspaces: undefined,
  }
  return database.forTenant(TENANT, async (transaction) => {
    // Prepares the statement on this connection, where it can then be asked about.
    await new AgentReader(transaction).list({ ...everything, before: undefined, ...filter }, 0)
    const owned = filter.owner ? `, '${filter.owner.provider}', '${filter.owner.account}'` : ''
    const { rows } = await transaction.query(
      `explain execute ${statement}('', 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 51, null, '{}'${owned}${seen})`,
    )
    return JSON.stringify(rows)
  })
}

const bob = { provider: 'PROVIDER_CODEHOST_OAUTH', account: 'bob' }

test.each([
  ['agent_list', 'agent_by_tenant', {}],
  ['agent_list_live', 'agent_live_by_tenant', { includeTerminal: false }],
  ['agent_list_account', 'agent_by_account', { owner: bob }],
  ['agent_list_live_account', 'agent_live_by_account', { owner: bob, includeTerminal: false }],
] as const)(
  '%s walks %s alone, in its order, however many agents others have',
  async (statement, index, filter) => {
    const plan = await planOf(statement, filter)
    expect(plan).toContain(`using ${index} on agent`)
    expect(plan).not.toContain('Sort')
  },
)

const MANY = Array.from({ length: 65 }, (_, index) => `w-${index}`)

test.each([
  ['agent_list_seen', 'agent_by_tenant', { workspaces: MANY }],
  ['agent_list_seen_live', 'agent_live_by_tenant', { workspaces: MANY, includeTerminal: false }],
  ['agent_list_seen_account', 'agent_by_account', { owner: bob, workspaces: ['default'] }],
  [
    'agent_list_seen_live_account',
    'agent_live_by_account',
    { owner: bob, workspaces: ['default'], includeTerminal: false },
  ],
] as const)('%s walks %s for a caller who sees some workspaces', async (statement, index, filter) => {
  const plan = await planOf(statement, filter, `, '{"default":1}'`)
  expect(plan).toContain(`using ${index} on agent`)
  expect(plan).not.toContain('Sort')
})

test('a caller who sees few workspaces gets their agents by workspace', async () => {
  const plan = await planOf('agent_list_probed', { workspaces: ['default'] }, `, '{default}', '{f,t}'`)
  expect(plan).toContain('using agent_by_workspace on agent')
})
