import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseError, escapeIdentifier } from 'pg'
import { asAdmin, databaseUrl } from './admin-client.ts'
import { listDatabaseConnections } from './database-connections.ts'
import type { TestRunFacts } from './test-run.ts'
import { waitFor } from './wait-for.ts'

export interface EmptyDatabase {
  readonly name: string
  /** Connects as the schema's owner, who is not a superuser. */
  readonly ownerUrl: string
  /** Drops the database, then fails if connections to it were still open, so that leaks are not hidden. */
  drop(): Promise<void>
}

export interface TestDatabase extends EmptyDatabase {
  /** Connects as a member of skein_server, as a production server does. */
  readonly serverUrl: string
}

let currentRun: TestRunFacts | undefined
/** Per test file, because vitest gives each file its own modules. */
const openDatabases = new Map<string, EmptyDatabase>()

export function useTestRun(facts: TestRunFacts): void {
  currentRun = facts
}

/** A separate, migrated database. Dropped after the test file, unless the test does so earlier. */
export async function createTestDatabase(run: TestRunFacts = theTestRun()): Promise<TestDatabase> {
  if (run.server === undefined) {
    throw new Error('The migrations of packages/store do not create the role skein_server.')
  }
  const database = await createDatabase(run, run.template)
  return register({ ...database, serverUrl: databaseUrl(run.adminUrl, database.name, run.server) })
}

/** A database without a schema, for testing the migrations themselves. */
export async function createEmptyDatabase(run: TestRunFacts = theTestRun()): Promise<EmptyDatabase> {
  return register(await createDatabase(run, 'template0'))
}

export function openTestDatabases(): EmptyDatabase[] {
  return [...openDatabases.values()]
}

export async function listTestDatabaseConnections(): Promise<string[]> {
  if (openDatabases.size === 0) return []
  return listDatabaseConnections(theTestRun().adminUrl, [...openDatabases.keys()])
}

export async function dropOpenTestDatabases(): Promise<void> {
  const names = [...openDatabases.keys()]
  if (names.length === 0) return
  await dropDatabases(theTestRun().adminUrl, names)
}

export function theTestRun(): TestRunFacts {
  if (currentRun !== undefined) return currentRun
  throw new Error(
    'Test databases need the set-up of vitest.config.ts: globalSetup and setupFiles of testkit.',
  )
}

function register<T extends EmptyDatabase>(database: T): T {
  openDatabases.set(database.name, database)
  return database
}

async function createDatabase(run: TestRunFacts, template: string): Promise<EmptyDatabase> {
  const name = run.prefix + randomBytes(6).toString('hex')
  await asAdmin(run.adminUrl, async (admin) => {
    const sql =
      `create database ${escapeIdentifier(name)} owner ${escapeIdentifier(run.owner.name)} ` +
      // By default every page would go through the write-ahead log.
      `template ${escapeIdentifier(template)} strategy file_copy`
    await retryWhileTemplateIsBusy(() => admin.query(sql))
  })
  return {
    name,
    ownerUrl: databaseUrl(run.adminUrl, name, run.owner),
    drop: () => dropUnused(run.adminUrl, name),
  }
}

/** Autovacuum visits templates too, and a template in use cannot be copied. */
async function retryWhileTemplateIsBusy(create: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await create()
      return
    } catch (error) {
      const objectInUse = error instanceof DatabaseError && error.code === '55006'
      if (!objectInUse || attempt >= 10) throw error
      await pause(100)
    }
  }
}

async function dropUnused(adminUrl: string, name: string): Promise<void> {
  const nobodyIsConnected = async () => {
    const connections = await listDatabaseConnections(adminUrl, [name])
    if (connections.length > 0) throw new Error(`Still connected:\n  ${connections.join('\n  ')}`)
    return true
  }
  try {
    // A closed connection's backend takes a moment to exit.
    await waitFor(nobodyIsConnected, {
      what: `the last connection to ${name} to be closed`,
      timeoutMs: 10_000,
    })
  } finally {
    await dropDatabases(adminUrl, [name])
  }
}

async function dropDatabases(adminUrl: string, names: readonly string[]): Promise<void> {
  await asAdmin(adminUrl, async (admin) => {
    for (const name of names) {
      await admin.query(`drop database if exists ${escapeIdentifier(name)} with (force)`)
      openDatabases.delete(name)
    }
  })
}
