import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createTestDatabase, type TestDatabase } from '@skein/testkit'
import { Client, escapeIdentifier } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { Database, prepareServerLogin, settingsAsSql } from '../src/index.ts'
import { serverRoleProblem } from '../src/schema/server-role.ts'

/** What the set-up of the test run provides: a superuser, and the prefix of everything it removes in the end. */
const run = inject('skeinTestRun' as never) as unknown as { adminUrl: string; prefix: string }

let admin: Client
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  admin = new Client({ connectionString: run.adminUrl })
  await admin.connect()
})

afterAll(() => admin.end())

async function problemOf(connectionString: string): Promise<string | undefined> {
  const connected = new Database({ connectionString, maxConnections: 1, applicationName: 'test' })
  try {
    return await connected.withoutTenant(serverRoleProblem)
  } finally {
    await connected.close()
  }
}

const prepare = (connectionString: string) => prepareServerLogin({ connectionString, connectMs: 30_000 })

/** The problem of a login that is made for the occasion. */
async function problemWith(attributes: string): Promise<{ role: string; problem: string | undefined }> {
  const role = `${run.prefix}role_${randomBytes(4).toString('hex')}`
  const password = randomBytes(16).toString('hex')
  await admin.query(`create role ${escapeIdentifier(role)} login password '${password}' ${attributes}`)
  try {
    const url = new URL(database.serverUrl)
    url.username = role
    url.password = password
    return { role, problem: await problemOf(url.href) }
  } finally {
    await admin.query(`drop role ${escapeIdentifier(role)}`)
  }
}

describe('a role that the server connects as', () => {
  test('is fine when it is only a member of skein_server', async () => {
    expect(await problemOf(database.serverUrl)).toBeUndefined()
  })

  test('is refused when it is a superuser', async () => {
    const { role, problem } = await problemWith('superuser')
    expect(problem).toBe(`${role} is a superuser`)
  })

  test('is refused when it has BYPASSRLS', async () => {
    const { role, problem } = await problemWith('bypassrls in role skein_server')
    expect(problem).toBe(`${role} has BYPASSRLS`)
  })

  test('is refused when it owns the tables', async () => {
    const { username } = new URL(database.ownerUrl)
    expect(await problemOf(database.ownerUrl)).toBe(`${username} owns Skein's tables`)
  })

  test('is refused when it is a member of the owner', async () => {
    const owner = escapeIdentifier(new URL(database.ownerUrl).username)
    const { role, problem } = await problemWith(`in role skein_server, ${owner}`)
    expect(problem).toBe(`${role} owns Skein's tables`)
  })
})

async function withLogin<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
  const role = escapeIdentifier(`${run.prefix}role_${randomBytes(4).toString('hex')}`)
  await admin.query(`create role ${role} login password 'fresh' in role skein_server`)
  const url = new URL(database.serverUrl)
  url.username = role.replaceAll('"', '')
  url.password = 'fresh'
  try {
    return await work(url.href)
  } finally {
    await admin.query(`drop role ${role}`)
  }
}

describe('a login that a server starts with', () => {
  test('gets the settings that it lacks, also when two servers start at once, and then keeps them', async () => {
    await withLogin(async (url) => {
      const prepared = await Promise.all([prepare(url), prepare(url), prepare(url)])
      expect(prepared.map(({ isPooled }) => isPooled)).toEqual([false, false, false])
      // Any of them may have been first.
      expect(prepared.flatMap(({ changed }) => changed)).toContain('statement_timeout')
      expect(await prepare(url)).toEqual({ isPooled: false, changed: [] })
      const session = new Client({ connectionString: url })
      await session.connect()
      const { rows } = await session.query(`select current_setting('lock_timeout') as lock`)
      await session.end()
      expect(rows).toEqual([{ lock: '5s' }])
    })
  })

  test('that already has them from an administrator is left alone', async () => {
    expect(await prepare(database.serverUrl)).toEqual({ isPooled: false, changed: [] })
  })

  test('that is not safe is refused and stays as it is', async () => {
    await expect(prepare(database.ownerUrl)).rejects.toThrow('SKEIN_DATABASE_URL is not safe to serve with')
    const { rows } = await admin.query(
      `select from pg_db_role_setting s join pg_roles r on r.oid = s.setrole where r.rolname = $1`,
      [new URL(database.ownerUrl).username],
    )
    expect(rows).toEqual([])
  })

  test('can be given them with the statements of the documentation', async () => {
    const page = await readFile(new URL('../../../docs/operations.md', import.meta.url), 'utf8')
    expect(page).toContain(settingsAsSql('skein_app'))
  })
})
