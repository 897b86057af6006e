import { startTestServer, TestClock, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectSameAnswer } from '../same-answer.ts'

const START = Date.UTC(2026, 10, 15, 9)
const MINUTE_MS = 60_000
const clock = new TestClock(START)
let server: TestServer
let acme: TestTenant
let rival: TestTenant

beforeAll(async () => {
  server = await startTestServer({ clock })
  acme = await server.createTenant('acme')
  rival = await server.createTenant('rival')
  clock.advance(MINUTE_MS)
  // Several at the same millisecond: a cursor in the middle of them neither loses nor repeats one.
  for (const name of ['a', 'b', 'c', 'd']) await acme.admin.write('persona', name, {})
  clock.advance(MINUTE_MS)
  await acme.admin.write('pool', 'last', {})
  clock.advance(2 * MINUTE_MS)
})

afterAll(() => server.close())

interface Answer {
  readonly entries: readonly { readonly id: string; readonly name: string; readonly time: string }[]
  readonly cursor: string
  readonly hasMore: boolean
}

async function read(query: Record<string, string> = {}, of = acme): Promise<Answer> {
  const { status, body } = await of.admin.get('/v1/audit/export', { query })
  expect(status).toBe(200)
  return body as unknown as Answer
}

const namesOf = ({ entries }: Answer) => entries.map(({ name }) => name)

test('has what the list has, oldest first', async () => {
  const { entries, hasMore } = await read()
  const { body } = await acme.admin.get('/v1/audit')
  expect(entries).toEqual((body['entries'] as unknown[]).toReversed())
  expect(entries).toHaveLength(7)
  expect(hasMore).toBe(false)
})

test.each(['1', '2', '3', '7'])('comes whole and in order in pages of %s', async (pageSize) => {
  const seen: unknown[] = []
  let page: Answer
  let after = ''
  do {
    page = await read({ pageSize, after })
    expect(page.entries.length).toBeLessThanOrEqual(Number(pageSize))
    seen.push(...page.entries)
    after = page.cursor
  } while (page.hasMore)
  expect(seen).toEqual((await read()).entries)
})

test('begins at a time', async () => {
  const startTime = new Date(START + 2 * MINUTE_MS).toISOString()
  expect(namesOf(await read({ startTime }))).toEqual(['last'])
})

test('leaves the last minute for later, and continues from its cursor when that has passed', async () => {
  const whole = await read()
  await acme.admin.write('persona', 'fresh', {})
  clock.advance(MINUTE_MS)
  const nothing = await read({ after: whole.cursor })
  expect(nothing).toEqual({ entries: [], cursor: whole.cursor, hasMore: false })
  clock.advance(1)
  const later = await read({ after: nothing.cursor })
  expect(namesOf(later)).toEqual(['fresh'])
  expect(later.cursor).not.toBe(whole.cursor)
})

test('is open to nobody who may not read the audit', async () => {
  for (const role of ['viewer', 'member', 'runner'] as const) {
    const answer = await (await rival.as(role)).get('/v1/audit/export')
    expect(answer).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
  }
  const missing = await acme.admin.get('/v1/audit/export', { query: { 'ref.tenant.org': 'no-such-org' } })
  expect(missing).toMatchObject({ status: 404, reason: 'TENANT_NOT_FOUND' })
  expectSameAnswer(await acme.admin.get('/v1/audit/export', { query: rival.query }), missing)
})

test('shows a tenant nothing of another, whosever cursor it has', async () => {
  const { cursor } = await read({ pageSize: '1' })
  const { entries } = await read({ after: cursor }, rival)
  const own = new Set((await read({}, rival)).entries.map(({ id }) => id))
  expect(entries.filter(({ id }) => !own.has(id))).toEqual([])
})

test('is audited in the tenant that an operator of another one exports', async () => {
  const answer = await rival.operator.get('/v1/audit/export', { query: acme.query })
  expect(answer.status).toBe(200)
  const { body } = await acme.admin.get('/v1/audit', { query: { operation: 'exportAudit' } })
  expect(body['entries']).toMatchObject([{ account: 'olga', role: 'operator' }])
})

test('refuses a cursor that is not its own', async () => {
  const { body } = await acme.admin.get('/v1/audit', { query: { pageSize: '1' } })
  for (const after of ['nonsense', String(body['nextPageToken'])]) {
    const answer = await acme.admin.get('/v1/audit/export', { query: { after } })
    expect(answer).toMatchObject({ status: 400, reason: 'PAGE_TOKEN_INVALID' })
  }
})
