import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createEmptyDatabase } from '@skein/testkit'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migrate } from '../src/index.ts'

const MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url))
const TENANT = '0199d2f4-0000-7000-8000-00000000000a'
const HOUR_MS = 3_600_000

let directory: string
let ownerUrl: string
let client: Client

/** A database as the release before left it. */
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'skein-fleet-'))
  await mkdir(join(directory, 'before'))
  for (const name of (await readdir(MIGRATIONS)).filter((file) => file < '0004'))
    await cp(join(MIGRATIONS, name), join(directory, 'before', name))
  ownerUrl = (await createEmptyDatabase()).ownerUrl
  await migrate({ connectionString: ownerUrl, directory: join(directory, 'before') })
  client = new Client({ connectionString: ownerUrl })
  await client.connect()
  await client.query(`insert into tenant (id, provider, org) values ($1, 'PROVIDER_CODEHOST_APP', 'acme')`, [
    TENANT,
  ])
})

afterEach(async () => {
  await client.end()
  await rm(directory, { recursive: true })
})

let written = 0

interface Written {
  readonly phase: string
  readonly needsInput?: string
  readonly costMicros?: number
  readonly endedAt?: number
}

/** As a server of the release before writes: without saying what is to be counted. */
async function write(id: string, { phase, needsInput = '', costMicros, endedAt }: Written): Promise<void> {
  written += 1
  const key = `default/PROVIDER_CODEHOST_OAUTH/ada/${id}`
  const isTerminal = endedAt !== undefined
  const agentId = `00000000-0000-7000-8000-${id.padStart(12, '0')}`
  const usage = {
    costMicros: String(costMicros),
    inputTokens: '3',
    cachedInputTokens: '2',
    outputTokens: '1',
  }
  const event = costMicros === undefined ? { type: 'agent.phase-changed' } : { type: 'run.metered', ...usage }
  const changes = {
    actor: 'ada',
    agents: [
      {
        id: agentId,
        key,
        rootKey: key,
        parentKey: '',
        ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
        account: 'ada',
        workspace: 'default',
        phase,
        isTerminal,
        labels: {},
        costMicros: '0',
        state: { needsInput, ...(isTerminal && { endedAt }) },
        createdAt: new Date().toISOString(),
      },
    ],
    events: [{ agentId, sequence: String(written), event }],
    command: { id: written.toString(16).padStart(64, '0'), requestSha256: '00', answer: {} },
  }
  await client.query('select write_tree($1, $2, $3)', [TENANT, new Date(), JSON.stringify(changes)])
}

async function sums(): Promise<unknown> {
  const { rows } = await client.query(
    `select (select json_build_array(sum(pending), sum(running), sum(waiting), sum(asking)) from fleet_count) as counts,
       (select json_build_array(sum(cost_micros), sum(input_tokens), sum(cached_input_tokens), sum(output_tokens),
          sum(completed), sum(failed), sum(canceled)) from spend) as spent,
       (select json_agg(amount) from (select sum(canceled)::int as amount from spend group by hour order by hour) h) as
          canceled`,
  )
  return rows[0]
}

/** Four that live, one that ended this hour and one that ended an hour ago. */
async function live(): Promise<void> {
  await write('1', { phase: 'PHASE_PENDING' })
  await write('2', { phase: 'PHASE_PENDING' })
  await write('2', { phase: 'PHASE_RUNNING', costMicros: 70 })
  await write('3', { phase: 'PHASE_WAITING', costMicros: 5 })
  await write('4', { phase: 'PHASE_WAITING', needsInput: 'What now?' })
  await write('5', { phase: 'PHASE_CANCELED', endedAt: Date.now() })
  await write('6', { phase: 'PHASE_COMPLETED', endedAt: Date.now() })
}

test('what was there before is counted when the counts begin', async () => {
  await live()
  await migrate({ connectionString: ownerUrl })
  expect(await sums()).toEqual({ counts: [1, 1, 2, 1], spent: [75, 6, 4, 2, 1, 0, 1], canceled: [1] })
})

test('what a server of the release before writes is counted too', async () => {
  await migrate({ connectionString: ownerUrl })
  await live()
  expect(await sums()).toEqual({ counts: [1, 1, 2, 1], spent: [75, 6, 4, 2, 1, 0, 1], canceled: [1] })
})

/** All but the history, as a run that was ended between two files leaves it. */
async function migrateToCounting(): Promise<void> {
  await mkdir(join(directory, 'counting'))
  for (const name of (await readdir(MIGRATIONS)).filter((file) => file < '0006'))
    await cp(join(MIGRATIONS, name), join(directory, 'counting', name))
  await migrate({ connectionString: ownerUrl, directory: join(directory, 'counting') })
}

test('what is spent before, between and after the two steps of the upgrade is counted once', async () => {
  await write('1', { phase: 'PHASE_RUNNING', costMicros: 100 })
  await migrateToCounting()
  await write('1', { phase: 'PHASE_RUNNING', costMicros: 20 })
  await migrate({ connectionString: ownerUrl })
  await write('1', { phase: 'PHASE_RUNNING', costMicros: 3 })
  expect(await sums()).toMatchObject({ counts: [0, 1, 0, 0], spent: [123, 9, 6, 3, 0, 0, 0] })
})

test('commands go on while what was spent before is looked up', async () => {
  await write('1', { phase: 'PHASE_RUNNING', costMicros: 100 })
  await migrateToCounting()
  const [history = ''] = (await readFile(join(MIGRATIONS, '0006_fleet_history.sql'), 'utf8')).split(
    '-- All levels',
  )
  const other = new Client({ connectionString: ownerUrl })
  await other.connect()
  await other.query('begin')
  await other.query(history)
  await client.query('set lock_timeout = 1000')
  await write('1', { phase: 'PHASE_WAITING', costMicros: 20 })
  await other.query('commit')
  await other.end()
  expect(await sums()).toMatchObject({ counts: [0, 0, 1, 0], spent: [120, 6, 4, 2, 0, 0, 0] })
})

test('an agent that lives again is taken from the hour in which it ended', async () => {
  const earlier = Date.now() - HOUR_MS
  await write('1', { phase: 'PHASE_CANCELED', endedAt: earlier })
  await migrate({ connectionString: ownerUrl })
  expect(await sums()).toMatchObject({ spent: [0, 0, 0, 0, 0, 0, 1] })
  await write('1', { phase: 'PHASE_PENDING' })
  expect(await sums()).toMatchObject({ counts: [1, 0, 0, 0], spent: [0, 0, 0, 0, 0, 0, 0], canceled: [0] })
})

test('rows of the outbox from before are behind every cursor', async () => {
  await live()
  await migrate({ connectionString: ownerUrl })
  await write('1', { phase: 'PHASE_RUNNING' })
  const { rows } = await client.query(
    `select count(*) filter (where xid = '0')::int as old, count(*) filter (where xid > '0')::int as fresh from outbox`,
  )
  expect(rows).toEqual([{ old: 7, fresh: 1 }])
})
