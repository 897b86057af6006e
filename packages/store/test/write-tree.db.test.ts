import { randomBytes } from 'node:crypto'
import { AgentChange, agentKey, killAgent, type AgentIdentity, type AgentState } from '@skein/core'
import { createTestDatabase } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectChanges } from '../src/agents/project.ts'
import type { Query } from '../src/database/database.ts'
import type { TreeRows } from '../src/agents/tree-rows.ts'
import { writeManyQuery } from '../src/agents/write-many.ts'
import { writeTreeQueries } from '../src/agents/write-tree.ts'
import { writeAsBeforeQuery } from './previous-release.ts'
import { asMany, dumpTables } from './tree-tables.ts'

const TENANT = '0199d2f4-0000-7000-8000-00000000000a'
const AT = Date.parse('2026-11-17T12:00:00Z')

/** More than one part. */
const LEAVES = 800

let server: Client

/** As the server's login, so that row-level security applies. */
beforeAll(async () => {
  const { ownerUrl, serverUrl } = await createTestDatabase()
  const owner = new Client({ connectionString: ownerUrl })
  await owner.connect()
  await owner.query(`insert into tenant (id, provider, org) values ($1, 'PROVIDER_CODEHOST_APP', 'acme')`, [
    TENANT,
  ])
  await owner.end()
  server = new Client({ connectionString: serverUrl })
  await server.connect()
  await server.query('begin')
  await server.query(`select set_config('skein.tenant', $1, true)`, [TENANT])
})

afterAll(() => server.end())

const agents = new Map<string, AgentState>()

const found = (path: string) => {
  const agent = agents.get(path)
  if (!agent) throw new Error(`Nobody spawned ${path}`)
  return agent
}

const identityOf = (path: string): AgentIdentity => ({
  ...({ workspace: 'web', ownerProvider: 'PROVIDER_CODEHOST_OAUTH', account: 'ada' } as const),
  path: path.split('/'),
})

const idOf = (index: number) => `0199d2f4-0000-7000-8000-${index.toString(16).padStart(12, '0')}`

const messageOf = (followUpId: string, deliverAt?: number) => ({
  ...({
    followUpId,
    description: `It's "${followUpId}" \\\n`,
    tasks: [],
    override: {},
    createdAt: AT,
  } as const),
  ...(deliverAt !== undefined && { deliverAt }),
})

function spawned(path: string, index: number): AgentChange {
  return new AgentChange(undefined, AT)
    .emit({
      type: 'agent.spawned',
      id: idOf(index),
      identity: identityOf(path),
      incarnation: 1,
      description: 'Mend\nthe "build"',
      expectedOutput: '',
      settings: {
        ...({ persona: 'default', personaGeneration: '0', backend: 'a', model: 'm', chosen: [] } as const),
        ...({ reasoningEffort: '', serviceTier: '', fastMode: false, outputSchema: '' } as const),
      },
      autoComplete: false,
      maxCostMicros: 0n,
      costBeforeMicros: 0n,
      labels: index % 2 === 0 ? {} : { team: `a,"b"{}\\${index}` },
      pool: index % 3 === 0 ? 'gpu, "large"' : 'default',
      repos: [],
    })
    .emit({ type: 'follow-up.queued', origin: 'CALLER', child: '', followUp: messageOf('first') })
    .emit({ type: 'agent.phase-changed', from: 'PHASE_UNSPECIFIED', to: 'PHASE_PENDING', needsInput: '' })
    .emit({ type: 'run.queued', runId: 1n, attempt: 1, availableAt: AT })
}

/** One leaf in four runs, one has a message for later, one is asked for more, and one has ended. */
function worked(path: string, index: number): AgentChange {
  const change = new AgentChange(found(path), AT + 1000)
  const from = { origin: 'CALLER', child: '' } as const
  switch (index % 4) {
    case 0:
      return change
        .emit({ type: 'run.started', runId: 1n, attempt: 1, runner: 'r' })
        .emit({ type: 'follow-up.delivered', followUpId: 'first', runId: 1n, steered: false })
        .emit({ type: 'agent.phase-changed', from: 'PHASE_PENDING', to: 'PHASE_RUNNING', needsInput: '' })
    case 1:
      return change.emit({ type: 'follow-up.deferred', ...from, followUp: messageOf('later', AT + 60_000) })
    case 2:
      return change.emit({ type: 'follow-up.queued', ...from, followUp: messageOf('more') })
    default:
      return change
        .emit({ type: 'follow-up.cleared', followUpId: 'first' })
        .emit({ type: 'run.ended', runId: 1n, reason: 'interrupted', message: '', output: '' })
        .emit({ type: 'agent.phase-changed', from: 'PHASE_PENDING', to: 'PHASE_FAILED', needsInput: '' })
  }
}

async function execute({ statement: { text }, values }: Query): Promise<void> {
  await server.query({ text, values })
}

const newWrite = (changes: readonly AgentChange[] = []) => ({
  actor: 'ada',
  changes,
  command: { id: randomBytes(32), requestSha256: randomBytes(32), answer: {} },
})

async function write(changes: readonly AgentChange[]): Promise<number> {
  const queries = writeTreeQueries(TENANT, AT, newWrite(changes))
  for (const makeQuery of queries) await execute(makeQuery())
  return queries.length
}

/** Each command has a record of its own. */
async function dumpWithoutCommands(): Promise<Record<string, unknown[]>> {
  return { ...(await dumpTables(server)), command: [] }
}

/** What is left by writing all of it, by each way of doing so from the same beginning. */
async function leftBy(...ways: readonly (() => Promise<unknown>)[]): Promise<Record<string, unknown[]>[]> {
  const left: Record<string, unknown[]>[] = []
  for (const way of ways) {
    await server.query('savepoint before')
    await way()
    left.push(await dumpWithoutCommands())
    await server.query('rollback to before')
  }
  return left
}

async function expectSameInAnyWay(changes: readonly AgentChange[]): Promise<Record<string, unknown[]>> {
  const [one, many, before] = await leftBy(
    async () => {
      for (const change of changes) await write([change])
    },
    async () => expect(await write(changes)).toBeGreaterThan(1),
    () => execute(writeAsBeforeQuery(TENANT, AT, newWrite(), projectChanges(changes))),
  )
  expect(many).toEqual(one)
  expect(before).toEqual(one)
  await write(changes)
  for (const { agent } of changes) agents.set(agent.identity.path.join('/'), agent)
  return one ?? {}
}

const LEAF_PATHS = Array.from({ length: LEAVES }, (_, index) => `root/branch/leaf-${index}`)
const PATHS = ['root', 'root/branch', 'root/other', ...LEAF_PATHS]

test('what very many agents leave, written in parts, is what each one leaves by itself', async () => {
  await expectSameInAnyWay(PATHS.map(spawned))
  const beside = await expectSameInAnyWay(LEAF_PATHS.map(worked))
  expect(beside['timer']).toHaveLength(LEAVES / 4)
  expect(beside['leftover']).toHaveLength(LEAVES / 4)
  await server.query(
    `insert into lease (agent_id, tenant_id, run_id, attempt, runner, expires_at)
     select a.id, $1, 1, 1, 'r', now() from agent a where a.phase = 'PHASE_RUNNING'`,
    [TENANT],
  )

  const branch = agentKey(identityOf('root/branch'))
  const { changes } = killAgent({
    agent: found('root/branch'),
    subtree: [...agents.values()].filter(({ identity }) => agentKey(identity).startsWith(`${branch}/`)),
    parent: found('root'),
    now: AT + 2000,
  })
  const killed = await expectSameInAnyWay(changes)
  expect(killed).toMatchObject({ lease: [], timer: [], live_agents: [{ amount: 2 }] })
  expect(killed['run']).toHaveLength(2)
  expect(killed['leftover']).toHaveLength(LEAVES + 1)
  const { rows } = await server.query('select key from agent where not is_terminal order by key')
  expect(rows).toEqual(['root', 'root/other'].map((path) => ({ key: agentKey(identityOf(path)) })))
})

test('several changes of one message take effect in their order', async () => {
  const [first, second] = [found('root'), found('root/other')]
  const rows: TreeRows = {
    agents: [],
    events: [],
    fleet: {},
    followUps: [
      { agentId: first.id, followUpId: 'first', state: 'QUEUED', position: '9' },
      { agentId: second.id, followUpId: 'first', state: 'DELIVERED', runId: '3' },
      { agentId: first.id, followUpId: 'first', state: 'DELIVERED', runId: '2' },
      { agentId: second.id, followUpId: 'first', state: 'QUEUED', position: '8' },
      { agentId: second.id, followUpId: 'nothing', state: 'DROPPED' },
    ],
    endedTimers: [{ agentId: second.id, followUpId: 'nothing' }],
  }
  const [now, before] = await leftBy(
    () => execute(writeManyQuery(TENANT, AT, newWrite(), asMany(rows))),
    () => execute(writeAsBeforeQuery(TENANT, AT, newWrite(), rows)),
  )
  expect(now).toEqual(before)
  const of = { follow_up_id: 'first' }
  expect(now?.['follow_up']).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ ...of, agent_id: first.id, state: 'DELIVERED', run_id: 2, position: 9 }),
      expect.objectContaining({ ...of, agent_id: second.id, state: 'QUEUED', run_id: null, position: 8 }),
    ]),
  )
})
