import { createTestDatabase } from '@skein/testkit'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import '../src/index.ts'
import { allStatements, type Statement } from '../src/database/statement.ts'
import { Transaction } from '../src/database/transaction.ts'
import { problemsOf } from './statement-problems.ts'

let owner: Client

beforeEach(async () => {
  owner = new Client({ connectionString: (await createTestDatabase()).ownerUrl })
  await owner.connect()
})

afterEach(() => owner.end())

test('every statement answers the columns that it declares', async () => {
  expect(allStatements().length).toBeGreaterThan(70)
  expect(await problemsOf(owner, allStatements())).toEqual([])
})

test('a column that a migration or a function renames, retypes or makes nullable is noticed', async () => {
  await owner.query(`
    alter table audit alter column detail drop not null;
    alter table sealed_value alter column version type bigint;
    alter table tenant rename column org to organisation;
    drop function take_sign_in_link(bytea, timestamptz);
    create function take_sign_in_link(bytea, timestamptz) returns uuid language sql return null::uuid;
    drop function pools_with_retries(timestamptz);
    create function pools_with_retries(timestamptz) returns table (tenant_id uuid, pool_name text)
      language sql as 'select null::uuid, null'`)
  expect((await problemsOf(owner, allStatements())).toSorted()).toEqual([
    'audit_feed_history.detail can be null',
    'audit_list.detail can be null',
    'audit_list_oldest.detail can be null',
    'audited_tenants: error: column t.org does not exist',
    'pools_with_retries.pool is not answered',
    'pools_with_retries.pool_name is not declared',
    'sealed_value_page.version is bigint, not int',
    'take_sign_in_link.key_id is uuid, not text',
    'tenant_find: error: column "org" does not exist',
    'tenant_own: error: column "org" does not exist',
  ])
})

/** Not made by statement(), which would count it among ours. */
const planted: Statement<{ id: string; note: string | null }> = {
  name: 'planted',
  text: 'select $1::text as id, null::text as note',
  columns: { id: 'text', note: 'text?' },
}

test('a null where none was declared is refused, and the statement and the column are named', async () => {
  const transaction = new Transaction(owner)
  expect(await transaction.rows(planted, ['a'])).toEqual([{ id: 'a', note: null }])
  await expect(transaction.rows(planted, [null])).rejects.toThrow(
    'The statement planted answered nothing for id',
  )
})
