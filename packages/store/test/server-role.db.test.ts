import { randomBytes } from 'node:crypto'
import { createTestDatabase, type TestDatabase } from '@skein/testkit'
import { Client, escapeIdentifier } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { Database, serverRoleProblem } from '../src/index.ts'

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
