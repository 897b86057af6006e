import { randomUUID } from 'node:crypto'
import { createTestDatabase } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { missingSegments, MoveConnection, type Segment } from '../src/index.ts'

const OTHERS = 20_000
/** More than are read at once. */
const OWN = 250

let source: MoveConnection

beforeAll(async () => {
  source = await MoveConnection.open((await createTestDatabase()).ownerUrl)
  await source.execute(
    `insert into timeline_segment
     select gen_random_uuid(), gen_random_uuid(), 1, 1, now(), 1, 1, '' from generate_series(1, ${OTHERS})`,
  )
  await source.execute('analyze timeline_segment')
})

afterAll(() => source.close())

/** Events of a tenant itself, two in each segment. */
async function newTenant(): Promise<string> {
  const tenantId = randomUUID()
  await source.execute(
    `insert into timeline_segment select $1, $1, n * 2, n * 2 - 1, now(), 1, 1, '' from generate_series(1, ${OWN}) n`,
    [tenantId],
  )
  return tenantId
}

async function missing(tenantId: string): Promise<Segment[]> {
  return Array.fromAsync(missingSegments(source, tenantId))
}

test('the segments of a tenant are found without those of others', async () => {
  const tenantId = await newTenant()
  await source.transaction(async () => {
    const found = await missing(tenantId)
    expect(found.map(({ lastSequence }) => Number(lastSequence))).toEqual(
      Array.from({ length: OWN }, (_, index) => (OWN - index) * 2),
    )
    const read = await source.row<{ rows: number }>(
      `select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'timeline_segment'`,
    )
    expect(read?.rows).toBeLessThan(OTHERS / 10)
  })
})

test('a segment is missing until all its events are in the table', async () => {
  const tenantId = await newTenant()
  const insert = `insert into timeline (tenant_id, agent_id, sequence, created_at, actor, event)
    select $1, $1, n, now(), 'ada', '{}' from generate_series($2::int, $3::int) n`
  await source.execute(insert, [tenantId, 1, 3])
  expect((await missing(tenantId)).at(-1)?.firstSequence).toBe(3n)
  for await (const { firstSequence, lastSequence } of missingSegments(source, tenantId))
    // As a move does, between two of them.
    await source.transaction(() =>
      source.execute(`${insert} on conflict do nothing`, [
        tenantId,
        Math.max(Number(firstSequence), 4),
        lastSequence,
      ]),
    )
  expect(await missing(tenantId)).toEqual([])
})
