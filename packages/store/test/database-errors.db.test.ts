import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { createTestDatabase } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '../src/database/database.ts'
import { isConnectionLost } from '../src/database/database-errors.ts'
import type { Transaction } from '../src/database/transaction.ts'

let database: Database

beforeAll(async () => {
  const { serverUrl } = await createTestDatabase()
  database = new Database({ connectionString: serverUrl, maxConnections: 4, applicationName: 'test' })
})

afterAll(() => database.close())

const tenantId = randomUUID()

async function failure(work: (transaction: Transaction) => Promise<unknown>): Promise<unknown> {
  let attempts = 0
  const error: unknown = await database
    .forTenant(tenantId, async (transaction) => {
      attempts += 1
      await work(transaction)
    })
    .catch((thrown: unknown) => thrown)
  expect(attempts).toBe(1)
  return error
}

test('a statement that takes too long is an answer, not a lost connection', async () => {
  const error = await failure(async (transaction) => {
    await transaction.query('set local statement_timeout = 50')
    await transaction.query('select pg_sleep(10)')
  })
  expect(error).toMatchObject({ reason: 'DATABASE_BUSY', httpStatus: 503, retryDelayMs: 5_000 })
  expect(isConnectionLost(error)).toBe(false)
})

test('a lock that another holds for too long is an answer too', async () => {
  const lock = 'select pg_advisory_xact_lock(4711)'
  const gate = Promise.withResolvers<void>()
  const holding = Promise.withResolvers<void>()
  const holder = database.forTenant(tenantId, async (transaction) => {
    await transaction.query(lock)
    holding.resolve()
    await gate.promise
  })
  await holding.promise
  const error = await failure(async (transaction) => {
    await transaction.query('set local lock_timeout = 50')
    await transaction.query(lock)
  })
  gate.resolve()
  await holder
  expect(error).toMatchObject({ reason: 'TREE_BUSY', httpStatus: 503, retryDelayMs: 2_000 })
  expect(isConnectionLost(error)).toBe(false)
})

test('so is a transaction that PostgreSQL ended because nothing came', async () => {
  const error = await failure(async (transaction) => {
    await transaction.query('set local idle_in_transaction_session_timeout = 50')
    await pause(500)
    await transaction.query('select 1')
  })
  expect(error).toMatchObject({ reason: 'DATABASE_BUSY', httpStatus: 503 })
  expect(isConnectionLost(error)).toBe(false)
})

const current = (transaction: Transaction) =>
  transaction.query(`select current_setting('skein.tenant') as tenant`)

test('a read in one round trip sees its tenant, and refuses a statement after its COMMIT', async () => {
  expect((await database.readForTenant(tenantId, current)).rows).toEqual([{ tenant: tenantId }])
  const tooLate = database.readForTenant(tenantId, async (transaction) => {
    await current(transaction)
    return current(transaction)
  })
  await expect(tooLate).rejects.toThrow('after the COMMIT')
})

test('a read in one round trip that fails leaves a usable connection', async () => {
  for (let round = 0; round < 8; round++) {
    const failed = database.readForTenant(tenantId, (transaction) => transaction.query('select 1 / 0'))
    await expect(failed).rejects.toThrow('division by zero')
  }
  const { rows } = await database.readForTenant(tenantId, (transaction) => transaction.query('select 1 as n'))
  expect(rows).toEqual([{ n: 1 }])
})
