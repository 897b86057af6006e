import { createTestDatabase } from '@skein/testkit'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Database, maintainPartitions, type RetentionDays } from '../src/index.ts'

const DAY_MS = 86_400_000
const retention: RetentionDays = { command: 2, audit: 400 }
let owner: Client
let database: Database
let ownerUrl: string

beforeEach(async () => {
  const created = await createTestDatabase()
  const { serverUrl } = created
  ownerUrl = created.ownerUrl
  owner = new Client({ connectionString: ownerUrl })
  await owner.connect()
  database = new Database({ connectionString: serverUrl, maxConnections: 16, applicationName: 'test' })
})

afterEach(() => Promise.all([owner.end(), database.close()]))

/** As a server does it. */
const maintain = (keep = retention) =>
  database.withoutTenant((transaction) => maintainPartitions(transaction, keep))

async function partitionsOf(parent: string): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1`,
    [parent],
  )
  return rows.map(({ name }) => name)
}

const day = (offset: number) => new Date(Date.now() + offset * DAY_MS).toISOString().slice(0, 10)
const dayName = (offset: number) => `command_${day(offset).replaceAll('-', '')}`
function monthName(offset: number): string {
  const now = new Date()
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1))
  return `audit_${month.toISOString().slice(0, 10).replaceAll('-', '')}`
}

const drop = (partition: string) => owner.query(`drop table if exists ${partition}`)

/** Answers the partition that took the row. */
async function insertCommand(createdAt: string): Promise<string> {
  const { rows } = await owner.query<{ partition: string }>(
    `insert into command (tenant_id, id, request_sha256, answer, created_at)
     values (gen_random_uuid(), '\\x00', '\\x00', '{}', $1) returning tableoid::regclass::text as partition`,
    [createdAt],
  )
  return rows[0]?.partition ?? ''
}

const makeOldPartition = (offset: number) =>
  owner.query(
    `create table ${dayName(offset)} partition of command for values from ('${day(offset)}Z') to ('${day(offset + 1)}Z')`,
  )

test('partitions are there as soon as the database is migrated, before any server starts', async () => {
  expect(await partitionsOf('command')).toContain(dayName(0))
  expect(await partitionsOf('audit')).toContain(monthName(0))
})

describe('maintenance', () => {
  test('creates the partitions for today and the coming days and months', async () => {
    for (const name of [dayName(2), dayName(3), monthName(3)]) await drop(name)
    await maintain()
    expect(await partitionsOf('command')).toEqual(
      expect.arrayContaining([dayName(0), dayName(1), dayName(2), dayName(3), 'command_default']),
    )
    expect(await partitionsOf('audit')).toEqual(
      expect.arrayContaining([monthName(0), monthName(1), monthName(2), monthName(3), 'audit_default']),
    )
    expect(await insertCommand(`${day(3)}T12:00:00Z`)).toBe(dayName(3))
  })

  test('closes new partitions to everyone but their owner', async () => {
    await drop(dayName(3))
    await maintain()
    const { rows } = await owner.query(
      `select relrowsecurity as secured, has_table_privilege('skein_server', oid, 'select') as open
       from pg_class where relname = '${dayName(3)}'`,
    )
    expect(rows).toEqual([{ secured: true, open: false }])
  })

  test('drops what is older than its retention, and nothing that is not', async () => {
    for (const offset of [-30, -4, -2]) await makeOldPartition(offset)
    await maintain()
    const left = await partitionsOf('command')
    expect(left).not.toContain(dayName(-30))
    expect(left).not.toContain(dayName(-4))
    expect(left).toContain(dayName(-2))
  })

  test('drops nothing of a table that has no retention', async () => {
    await makeOldPartition(-30)
    await maintain({ audit: 400 })
    expect(await partitionsOf('command')).toContain(dayName(-30))
  })

  test('is done once when 16 servers do it concurrently', async () => {
    await makeOldPartition(-30)
    for (const name of [dayName(1), dayName(2), dayName(3)]) await drop(name)
    await Promise.all(Array.from({ length: 16 }, () => maintain()))
    const left = (await partitionsOf('command')).filter((name) => name >= dayName(0))
    expect(left).toEqual([dayName(0), dayName(1), dayName(2), dayName(3), 'command_default'].toSorted())
    expect(await partitionsOf('command')).not.toContain(dayName(-30))
  })

  test('leaves what somebody reads for long for the next round, and does the rest', async () => {
    await owner.query(
      `create table timeline_19990101 partition of timeline for values from ('1999-01-01Z') to ('1999-02-01Z')`,
    )
    await makeOldPartition(-30)
    const next = (await partitionsOf('timeline')).findLast((name) => name !== 'timeline_default') ?? ''
    await drop(next)
    await drop(dayName(3))
    const reader = new Client({ connectionString: ownerUrl })
    await reader.connect()
    await reader.query('begin; lock table only timeline in access share mode')
    try {
      await maintain({ ...retention, timeline: 400 })
      expect(await partitionsOf('timeline')).toContain('timeline_19990101')
      expect(await partitionsOf('timeline')).not.toContain(next)
      expect(await partitionsOf('command')).toContain(dayName(3))
      expect(await partitionsOf('command')).not.toContain(dayName(-30))
    } finally {
      await reader.end()
    }
    await maintain({ ...retention, timeline: 400 })
    expect(await partitionsOf('timeline')).not.toContain('timeline_19990101')
    expect(await partitionsOf('timeline')).toContain(next)
  })

  test('does not block rows that are written in the meantime', async () => {
    for (const name of [dayName(2), dayName(3)]) await drop(name)
    const maintained = Promise.all([maintain(), maintain()])
    for (let row = 0; row < 20; row++) expect(await insertCommand(`${day(0)}T12:00:00Z`)).toBe(dayName(0))
    await maintained
  })
})

describe('a row outside every partition', () => {
  test('lands in the default one instead of failing', async () => {
    expect(await insertCommand('2020-01-01T00:00:00Z')).toBe('command_default')
    expect(await insertCommand('2999-01-01T00:00:00Z')).toBe('command_default')
  })

  test('goes when its time is over, and stays until then', async () => {
    await insertCommand('2020-01-01T00:00:00Z')
    await insertCommand('2999-01-01T00:00:00Z')
    await maintain()
    const { rows } = await owner.query(
      'select extract(year from created_at)::int as year from command_default',
    )
    expect(rows).toEqual([{ year: 2999 }])
  })

  test('keeps only its own day from getting a partition', async () => {
    for (const name of [dayName(2), dayName(3)]) await drop(name)
    expect(await insertCommand(`${day(2)}T12:00:00Z`)).toBe('command_default')
    await maintain()
    const left = await partitionsOf('command')
    expect(left).toContain(dayName(3))
    expect(left).not.toContain(dayName(2))
    expect(await insertCommand(`${day(2)}T13:00:00Z`)).toBe('command_default')
  })
})
