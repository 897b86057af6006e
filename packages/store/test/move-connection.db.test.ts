import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { createTestDatabase, waitFor, type TestDatabase } from '@skein/testkit'
import { beforeAll, expect, test } from 'vitest'
import { lockMove, MoveConnection } from '../src/index.ts'

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
