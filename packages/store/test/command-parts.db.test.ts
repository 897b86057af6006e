import { createTestDatabase } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database, type Query, type Write } from '../src/index.ts'

const TENANT = '0199d2f4-0000-7000-8000-00000000000a'

let database: Database

beforeAll(async () => {
  const { ownerUrl } = await createTestDatabase()
  // One connection, as the owner: what a command leaves on it would be found by the next one.
  database = new Database({ connectionString: ownerUrl, maxConnections: 1, applicationName: 'test' })
  await database.withoutTenant((transaction) => transaction.query('create table part (number integer)'))
})

afterAll(() => database.close())

const query = (text: string): Query => ({ statement: { name: '', text, columns: {} }, values: [] })
const insert = (number: number) => () => query(`insert into part values (${number})`)

const command = (write: Write) =>
  database.command(TENANT, { load: [], decide: () => Promise.resolve({ write, result: 'done' }) })

async function written(): Promise<unknown> {
  const { rows } = await database.withoutTenant((transaction) =>
    transaction.query('select array_agg(number order by number) as numbers from part'),
  )
  return rows[0]
}

const unmade = () => {
  throw new Error('This part cannot be made')
}

test('all parts of a command are committed, or none', async () => {
  await expect(command([insert(1), () => query('select 1 / 0'), insert(2), insert(3)])).rejects.toThrow(
    'division by zero',
  )
  await expect(command([insert(1), insert(2), () => query('select 1 / 0')])).rejects.toThrow(
    'division by zero',
  )
  await expect(command([insert(1), unmade, insert(2)])).rejects.toThrow('cannot be made')
  await expect(command([insert(1), insert(2), unmade])).rejects.toThrow('cannot be made')
  expect(await written()).toEqual({ numbers: null })
  expect(await command([insert(1), insert(2), insert(3)])).toBe('done')
  expect(await written()).toEqual({ numbers: [1, 2, 3] })
  expect(await command([])).toBe('done')
})

test('between the parts of a command, others get their turn', async () => {
  let turns = 0
  const taken: number[] = []
  let isOver = false
  const takeTurns = () => {
    turns += 1
    if (!isOver) setImmediate(takeTurns)
  }
  setImmediate(takeTurns)
  const part = (number: number) => () => {
    taken.push(turns)
    return insert(number)()
  }
  await command([part(4), part(5), part(6)])
  isOver = true
  expect(new Set(taken).size).toBe(3)
})
