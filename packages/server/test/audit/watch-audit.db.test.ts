import { text } from 'node:stream/consumers'
import { startTestServer, waitFor, type TestServer, type TestTenant } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { LiveClient, type StreamedEvent } from '../agents/live-client.ts'
import { forgeToken } from '../catalog/documents.ts'
import { expectSameAnswer } from '../same-answer.ts'

let server: TestServer
let other: TestServer
let acme: TestTenant
let rival: TestTenant
let owner: Client
let hangUp = new AbortController()

beforeAll(async () => {
  server = await startTestServer()
  other = await startTestServer({ database: server.database })
  acme = await server.createTenant('acme')
  rival = await server.createTenant('rival')
  owner = new Client({ connectionString: server.database.ownerUrl })
  await owner.connect()
})

afterEach(async () => {
  hangUp.abort()
  hangUp = new AbortController()
  await waitFor(() => server.engine.wakeups.waiting === 0, { what: 'the streams to be let go' })
})

afterAll(async () => {
  await owner.end()
  await other.close()
  await server.close()
})

interface Told {
  readonly entry: { readonly id: string; readonly name: string; readonly operation: string }
  readonly cursor: string
}

class Watch {
  readonly told: Told[] = []
  readonly positions: StreamedEvent[] = []
  readonly hangUp = new AbortController()
  readonly done: Promise<void>

  constructor(client: LiveClient, query: Record<string, string>, lastEventId?: string) {
    const signal = AbortSignal.any([hangUp.signal, this.hangUp.signal])
    const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    const path = `/v1/audit/watch?${new URLSearchParams(query).toString()}`
    this.done = this.#read(client.stream(path, undefined, { method: 'GET', headers, signal }))
  }

  get names(): string[] {
    return this.told.map(({ entry }) => entry.name)
  }

  get cursor(): string {
    return this.told.at(-1)?.cursor ?? ''
  }

  async until(count: number): Promise<void> {
    await waitFor(() => this.told.length >= count, { what: `${count} entries` })
  }

  async #read(events: AsyncGenerator<StreamedEvent>): Promise<void> {
    for await (const event of events) {
      if (event.name !== undefined) this.positions.push(event)
      else {
        const told = event.data as Told
        if (event.id !== told.cursor) throw new Error(`The id is ${event.id}, the cursor ${told.cursor}`)
        this.told.push(told)
      }
    }
  }
}

async function watch(query: Record<string, string> = {}, lastEventId?: string, of = server): Promise<Watch> {
  return new Watch(await LiveClient.of(of, acme.admin.key), query, lastEventId)
}

async function listed(): Promise<{ cursor: string; entries: Told['entry'][] }> {
  const { body } = await acme.admin.get('/v1/audit', { query: { kind: 'persona' } })
  return body as unknown as { cursor: string; entries: Told['entry'][] }
}

const write = (name: string) => acme.admin.write('persona', name, {})

/** All in one transaction. */
async function insertEntries(
  client: Client,
  kind: string,
  name: string,
  count: number,
  xid?: string,
): Promise<void> {
  await client.query(
    `insert into audit (tenant_id, id, created_at, operation, kind, name, generation, owner_provider, account, role, token,
       justification, request_id, xid)
     select $1, gen_random_uuid(), now(), 'writeResource', $2, $3 || n, 0, '', 'ada', 'admin', '', '', '',
       coalesce($5::xid8, pg_current_xact_id())
     from generate_series(1, $4::int) n`,
    [acme.id, kind, name, count, xid ?? null],
  )
}

test('reports entries as they are committed, as the list shows them, and continues after the cursor on another server', async () => {
  const { cursor } = await listed()
  const first = await watch({ kind: 'persona', after: cursor })
  for (const name of ['a', 'b', 'c']) await write(name)
  await first.until(3)
  expect(first.names).toEqual(['a', 'b', 'c'])
  expect(first.told.map(({ entry }) => entry).toReversed()).toEqual((await listed()).entries.slice(0, 3))
  first.hangUp.abort()
  await write('d')
  // Where a browser reconnects, Last-Event-ID is newer than the URL.
  const [, second] = first.told
  const again = await watch({ kind: 'persona', after: cursor }, second?.cursor, other)
  await write('e')
  await again.until(3)
  expect(again.names).toEqual(['c', 'd', 'e'])
})

test('neither skips nor repeats an entry whose transaction commits after a later one', async () => {
  const { cursor } = await listed()
  const late = new Client({ connectionString: server.database.ownerUrl })
  await late.connect()
  await late.query('begin')
  await insertEntries(late, 'persona', 'late', 2)
  await write('early')
  const first = await watch({ kind: 'persona', after: cursor })
  await first.until(1)
  await late.query('commit')
  await late.end()
  await write('after')
  await first.until(4)
  expect(first.names.toSorted()).toEqual(['after', 'early', 'late1', 'late2'])
  expect(first.names.indexOf('early')).toBe(0)
  first.hangUp.abort()
  // From each of the cursors the rest comes, once.
  for (const [index, { cursor: from }] of first.told.entries()) {
    const rest = await watch({ kind: 'persona' }, from, other)
    await write(`next-${index}`)
    await waitFor(() => rest.names.includes(`next-${index}`), { what: 'the newest entry' })
    const seen = new Set([...first.names.slice(0, index + 1), ...rest.names])
    expect(rest.names).toHaveLength(new Set(rest.names).size)
    for (const name of first.names) expect(seen).toContain(name)
    expect(rest.names.filter((name) => first.names.slice(0, index + 1).includes(name))).toEqual([])
    rest.hangUp.abort()
  }
})

test('starts at a time with everything since, in batches, and goes on with what is new', async () => {
  const startTime = new Date().toISOString()
  await insertEntries(owner, 'pool', 'many', 1234)
  const all = await watch({ kind: 'pool', startTime })
  await all.until(1234)
  await acme.admin.write('pool', 'newest', {})
  await all.until(1235)
  expect(new Set(all.told.map(({ entry }) => entry.id)).size).toBe(1235)
  all.hangUp.abort()
  const rest = await watch({ kind: 'pool' }, all.told[700]?.cursor)
  await rest.until(534)
  expect(rest.told.map(({ entry }) => entry.id)).toEqual(all.told.slice(701).map(({ entry }) => entry.id))
})

test('also has entries from before their transactions were recorded', async () => {
  await insertEntries(owner, 'model', 'old', 3, '1')
  const all = await watch({ kind: 'model', startTime: new Date(0).toISOString() })
  await all.until(3)
  const rest = await watch({ kind: 'model' }, all.told[0]?.cursor)
  await rest.until(2)
  expect(rest.told.map(({ entry }) => entry.id)).toEqual(all.told.slice(1).map(({ entry }) => entry.id))
})

test.each([
  ['operation', { operation: 'deleteResource' }, ['x']],
  ['name', { name: 'y' }, ['y']],
  ['account', { account: 'ada', kind: 'persona' }, ['x', 'y', 'x']],
  ['nobody', { account: 'nobody' }, []],
])('filters by %s as the list does', async (_what, query, names) => {
  const narrow = await watch(query)
  const wide = await watch({ kind: 'persona' })
  await waitFor(() => server.engine.wakeups.waiting === 2, { what: 'both watches' })
  await write('x')
  await write('y')
  await acme.admin.delete('/v1/catalog/persona/x')
  await wide.until(3)
  expect(narrow.names.slice(0, names.length)).toEqual(names)
})

test('a tenant sees nothing of another, whosever cursor it has', async () => {
  const { cursor } = await listed()
  const theirs = new Watch(await LiveClient.of(server, rival.admin.key), { after: cursor })
  await write('secret')
  await rival.admin.write('persona', 'own', {})
  await theirs.until(1)
  expect(theirs.names).toEqual(['own'])
})

test('is open to nobody who may not read the audit', async () => {
  for (const role of ['viewer', 'member', 'runner'] as const) {
    const answer = await (await rival.as(role)).get('/v1/audit/watch')
    expect(answer).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
  }
  const missing = await acme.admin.get('/v1/audit/watch', { query: { 'ref.tenant.org': 'no-such-org' } })
  expect(missing).toMatchObject({ status: 404, reason: 'TENANT_NOT_FOUND' })
  expectSameAnswer(await acme.admin.get('/v1/audit/watch', { query: rival.query }), missing)
})

test('ends soon after its key was revoked', async () => {
  const spare = await acme.as('admin', 'mallory')
  const watched = await LiveClient.of(server, spare.key)
  const response = await watched.post('/v1/audit/watch', undefined, { method: 'GET', signal: hangUp.signal })
  expect(response.statusCode).toBe(200)
  await acme.admin.delete('/v1/catalog/token/admin-mallory')
  await expect(text(response)).rejects.toThrow('aborted')
}, 15_000)

test('is audited in the tenant that an operator of another one watches', async () => {
  const client = await LiveClient.of(server, rival.operator.key)
  const response = await client.post(
    `/v1/audit/watch?${new URLSearchParams(acme.query).toString()}`,
    undefined,
    {
      method: 'GET',
      signal: hangUp.signal,
    },
  )
  response.on('error', () => undefined)
  expect(response.statusCode).toBe(200)
  const { body } = await acme.admin.get('/v1/audit', { query: { operation: 'watchAudit' } })
  expect(body['entries']).toMatchObject([{ account: 'olga', role: 'operator' }])
})

const id = '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10'
test.each([
  ['nonsense', 'nonsense'],
  ['of another list', forgeToken(['audit', '1794000000000', id])],
  ['from a transaction to come', forgeToken(['audit-watch/c1', '1', '9000000000000000000', '', '0', '0'])],
  ['with a gap of nothing', forgeToken(['audit-watch/c1', '1', '500', 'a.0', '0', '0'])],
  ['with an endless number', forgeToken(['audit-watch/c1', '1', '500', 'z'.repeat(1000), '0', '0'])],
  [
    'with very many transactions',
    forgeToken(['audit-watch/c1', '1', '500', Array.from({ length: 102 }, () => '1').join('.'), '0', '0']),
  ],
  ['with a part of no open transaction', forgeToken(['audit-watch/c1', '1', '500', 'a', '11', id])],
])('refuses a cursor %s', async (_what, after) => {
  const answer = await acme.admin.get('/v1/audit/watch', { query: { after } })
  expect(answer).toMatchObject({ status: 400, reason: 'PAGE_TOKEN_INVALID' })
})
