import { createTestDatabase } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Query } from '../src/database/database.ts'
import type { TreeRows } from '../src/agents/tree-rows.ts'
import { writeManyQuery } from '../src/agents/write-many.ts'
import { asOneChange, writeOneQuery } from '../src/agents/write-one.ts'
import { asMany, dumpTables } from './tree-tables.ts'

const TENANT = '0199d2f4-0000-7000-8000-00000000000a'
const AGENT = '0199d2f4-0000-7000-8000-0000000000a1'
const AT = Date.parse('2026-11-17T12:00:00Z')

let server: Client
let other: Client

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
  other = new Client({ connectionString: serverUrl })
  await Promise.all([server.connect(), other.connect()])
})

afterAll(() => Promise.all([server.end(), other.end()]))

async function execute({ statement, values }: Query): Promise<void> {
  await server.query({ text: statement.text, values })
}

let sequence = 0
/** An agent's row after so many more events. */
function agentAfter(events: number, fields: Partial<TreeRows['agents'][number]> = {}) {
  const firstSequence = sequence + 1
  sequence += events
  const state = { id: AGENT, sequence: sequence.toString(), note: `"quoted" \\ and {braces}` }
  const agent = {
    id: AGENT,
    key: 'w/P/ada/a',
    rootKey: 'w/P/ada/a',
    parentKey: '',
    ownerProvider: 'P',
    account: 'ada',
    ...({
      workspace: 'w',
      pool: 'default',
      phase: 'PHASE_PENDING',
      isTerminal: false,
      leaves: false,
    } as const),
    isKnown: true,
    labels: { team: 'a"b' },
    costMicros: '5',
    state,
    listed: { sequence: sequence.toString(), createdAt: AT },
    createdAt: new Date(AT - 1000).toISOString(),
    firstSequence: firstSequence.toString(),
    lastSequence: sequence.toString(),
    ...fields,
  }
  return {
    agents: [agent],
    events: Array.from({ length: events }, (_, index) => ({
      agentId: AGENT,
      sequence: (firstSequence + index).toString(),
      event: { type: 'noted', text: `it's ${index}` },
    })),
    fleet: { workspace: 'w', ownerProvider: 'P', account: 'ada' },
  }
}

const message = (followUpId: string, position: string) => ({
  ...({ agentId: AGENT, followUpId, state: 'QUEUED', position, traceparent: '00-a-b-01' } as const),
  body: { followUpId, description: 'Do "it".', tasks: [], override: {}, createdAt: AT },
})
const run = (runId: string, attempt: number, isNew: boolean) => ({
  agentId: AGENT,
  agentKey: 'w/P/ada/a',
  rootKey: 'w/P/ada/a',
  pool: 'default',
  runId,
  attempt,
  isNew,
  availableAt: new Date(AT + 500).toISOString(),
})
const counts = { pending: 0, running: 0, waiting: 0, asking: 0 }
const hour = {
  hour: '2026-11-17T12:00:00.000Z',
  costMicros: '7',
  inputTokens: '1',
  cachedInputTokens: '2',
  outputTokens: '3',
  completed: 1,
  failed: 0,
  canceled: 0,
}
const used = {
  at: '2026-11-17T12:34:56.000Z',
  persona: 'default',
  model: 'm',
  labels: { env: 'prod', team: 'a' },
  costMicros: '7',
  inputTokens: '1',
  cachedInputTokens: '2',
  outputTokens: '3',
}

/** The life of an agent, as each command would write it. */
const LIFE: readonly [what: string, rows: () => TreeRows][] = [
  [
    'a spawn',
    () => {
      const base = agentAfter(3, { isKnown: false })
      return {
        ...base,
        fleet: {
          ...base.fleet,
          counts: {
            ...counts,
            pending: 1,
          },
        },
        newFollowUps: [message('m1', '2')],
        queuedRuns: [
          {
            ...run('1', 1, true),
            traceparent: '00-c-d-01',
          },
        ],
        liveDelta: 1,
        queuedBytesDelta: 20,
      }
    },
  ],
  [
    'the start of a run',
    () => ({
      ...agentAfter(2, { phase: 'PHASE_RUNNING' }),
      followUps: [{ agentId: AGENT, followUpId: 'm1', state: 'DELIVERED', runId: '1' }],
      queuedBytesDelta: -20,
    }),
  ],
  ['another attempt', () => ({ ...agentAfter(1), queuedRuns: [run('1', 2, false)] })],
  ['a message for later', () => ({ ...agentAfter(1), newFollowUps: [message('m2', '7')] })],
  [
    'a message that is due',
    () => ({
      ...agentAfter(1),
      followUps: [{ agentId: AGENT, followUpId: 'm2', state: 'QUEUED', position: '9' }],
    }),
  ],
  [
    'a message with the id of one that was there',
    () => ({ ...agentAfter(1), newFollowUps: [message('m1', '11')] }),
  ],
  ['tasks', () => agentAfter(2)],
  [
    'the end of a run and of the agent',
    () => {
      const base = agentAfter(2, { phase: 'PHASE_COMPLETED', isTerminal: true, leaves: true })
      return {
        ...base,
        fleet: {
          ...base.fleet,
          counts: {
            ...counts,
            pending: -1,
          },
          hours: [hour],
          used: [used],
          settled: [AGENT],
        },
        endedRuns: [AGENT],
        liveDelta: -1,
      }
    },
  ],
  ['a new incarnation', () => ({ ...agentAfter(1, { labels: {} }), liveDelta: 1 })],
]

test('one change is written exactly as one of many', async () => {
  for (const [index, [what, rowsOf]] of LIFE.entries()) {
    const rows = rowsOf()
    const one = asOneChange(rows)
    if (!one) throw new Error(`${what} is one change`)
    const id = Buffer.alloc(32, index)
    const audit = {
      id: AGENT.replace(/..$/, `b${index}`),
      operation: 'spawnAgent',
      name: 'w/a',
      ownerProvider: 'P',
      ...({
        account: 'ada',
        role: 'admin',
        token: 'admin',
        justification: '',
        requestId: 'r',
      } as const),
    }
    const write = {
      actor: 'ada',
      changes: [],
      command: {
        id,
        requestSha256: id,
        answer: { a: 'b' },
      },
      ...(index % 2 === 0 && { audit }),
    }
    await server.query('begin')
    await server.query(`select set_config('skein.tenant', $1, true)`, [TENANT])
    await server.query('savepoint before')
    await execute(writeManyQuery(TENANT, AT, write, asMany(rows)))
    const many = await dumpTables(server)
    await server.query('rollback to before')
    await execute(writeOneQuery(TENANT, AT, write, one))
    expect({ what, tables: await dumpTables(server) }).toEqual({ what, tables: many })
    await server.query('commit')
  }
})

test('a server of the release before writes agents without what a list shows, which then reads their state', async () => {
  const rows = agentAfter(1)
  const one = asOneChange(rows)
  if (!one) throw new Error('it is one change')
  const id = Buffer.alloc(32, 101)
  const write = { actor: 'ada', changes: [], command: { id, requestSha256: id, answer: {} } }
  const { values } = writeOneQuery(TENANT, AT, write, one)
  const old = values.slice(0, 47)
  await begin(server)
  await server.query(`select write_change(${old.map((_, index) => `$${index + 1}`).join(', ')})`, old)
  const { rows: stored } = await server.query('select listed, state from agent')
  expect(stored).toEqual([{ listed: null, state: rows.agents[0]?.state }])
  await server.query('rollback')
})

async function begin(client: Client): Promise<void> {
  await client.query('begin')
  await client.query(`select set_config('skein.tenant', $1, true)`, [TENANT])
}

async function isWaiting(pid: unknown): Promise<boolean> {
  const { rowCount } = await other.query('select from pg_locks where pid = $1 and not granted', [pid])
  return rowCount === 1
}

test('both take the totals in the same order, so that they never wait for each other', async () => {
  const base = agentAfter(1)
  const fleet = { ...base.fleet, counts: { ...counts, pending: 1 } }
  const rows = { ...base, fleet, queuedBytesDelta: 20 }
  const one = asOneChange(rows)
  if (!one) throw new Error('it is one change')
  const id = Buffer.alloc(32, 100)
  const write = { actor: 'ada', changes: [], command: { id, requestSha256: id, answer: {} } }
  const { rows: pids } = await server.query<{ pid: number }>('select pg_backend_pid() as pid')
  for (const query of [
    writeManyQuery(TENANT, AT, write, asMany(rows)),
    writeOneQuery(TENANT, AT, write, one),
  ]) {
    await begin(other)
    await other.query('select from fleet_count for update')
    await begin(server)
    const written = execute(query)
    await expect.poll(() => isWaiting(pids[0]?.pid)).toBe(true)
    // It waits for the first and does not hold the second.
    expect((await other.query('select from queued_bytes for update nowait')).rowCount).toBe(1)
    await other.query('rollback')
    await written
    await server.query('rollback')
  }
})

test('what is more than one change is written as many', () => {
  const rows = agentAfter(1)
  expect(asOneChange({ ...rows, agents: [...rows.agents, ...rows.agents] })).toBeUndefined()
  expect(asOneChange({ ...rows, agents: [] })).toBeUndefined()
  expect(asOneChange({ ...rows, newFollowUps: [message('a', '1'), message('b', '2')] })).toBeUndefined()
  expect(asOneChange({ ...rows, endedTimers: [{ agentId: AGENT, followUpId: 'm' }] })).toBeUndefined()
})
