import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { createTestDatabase, waitFor, type TestDatabase } from '@skein/testkit'
import { Client } from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { findMoveTables, lockMove, lowerFence, MoveConnection, raiseFence } from '../src/index.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})

test('the lock of a command that is gone is free, even if it was in a long query', async () => {
  const tenantId = randomUUID()
  const [gone, next] = [
    await MoveConnection.open(database.ownerUrl),
    await MoveConnection.open(database.ownerUrl),
  ]
  expect(await lockMove(gone, tenantId)).toBe(true)
  const query = gone.rows('select pg_sleep(120)').catch((error: unknown) => error)
  expect(await lockMove(next, tenantId)).toBe(false)
  await gone.close()
  expect(await query).toMatchObject({ reason: 'DATABASE_UNAVAILABLE' })
  await waitFor(async () => (await lockMove(next, tenantId)) || undefined, {
    what: 'the lock to be free',
    timeoutMs: 30_000,
  })
  await next.close()
})

test('a database that accepts connections and says nothing counts as down', async () => {
  const silent = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const url = `postgres://skein@127.0.0.1:${port}/skein`
  await expect(MoveConnection.open(url, 200)).rejects.toMatchObject({ reason: 'DATABASE_UNAVAILABLE' })
  silent.close()
  await once(silent, 'close')
})

test('a tenant is not resumed in the moment in which it leaves', async () => {
  const [command, operator] = [database.ownerUrl, database.ownerUrl].map(
    (connectionString) => new Client({ connectionString }),
  )
  if (!command || !operator) throw new Error('There are two')
  await Promise.all([command.connect(), operator.connect()])
  const id = randomUUID()
  await command.query(
    `insert into tenant (id, provider, org, suspended_at) values ($1, 'PROVIDER_CODEHOST_APP', $2, now())`,
    [id, `org-${id}`],
  )
  await command.query('begin')
  // A step that is not committed yet.
  await command.query(`update tenant set move_step = 'leaving' where id = $1`, [id])
  const resumed = operator.query('select suspend_tenant($1, false)', [id]).catch((error: unknown) => error)
  await waitFor(
    async () => {
      const { rowCount } = await command.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'select suspend_tenant%'`,
      )
      return rowCount === 1 || undefined
    },
    { what: 'the operator to wait' },
  )
  await command.query('commit')
  expect(await resumed).toMatchObject({ code: 'SKM01' })
  await Promise.all([command.end(), operator.end()])
})

test('a long query in a table does not hold up the end of a move, nor others behind it', async () => {
  const tenantId = randomUUID()
  const connection = await MoveConnection.open(database.ownerUrl)
  const reader = new Client({ connectionString: database.ownerUrl })
  await reader.connect()
  const tables = (await findMoveTables(connection)).filter(({ name }) => ['agent', 'timeline'].includes(name))
  const states = async () => {
    const rows = await connection.rows<{ state: string }>(
      `select distinct tgrelid::regclass::text || ' ' || tgenabled::text as state from pg_trigger
       where tgname like 'move%' and tgparentid = 0 order by 1`,
    )
    return rows.map(({ state }) => state)
  }
  await raiseFence(connection, tables, tenantId)
  await reader.query('begin')
  await reader.query('select from agent')
  expect(await lowerFence(connection, tenantId)).toBe(1)
  expect(await states()).toEqual(['agent D'])
  await raiseFence(connection, tables, tenantId)
  expect(await states()).toEqual(['agent O', 'timeline O'])
  await reader.query('commit')
  expect(await lowerFence(connection, tenantId)).toBe(0)
  expect(await states()).toEqual([])
  await reader.end()
  await connection.close()
})
