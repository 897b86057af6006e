import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { applyMigration, type ApplySettings } from './apply-migration.ts'
import { toSkeinError } from './database-errors.ts'
import { MigrationError, readMigrationFiles, type MigrationFile } from './migration-files.ts'
import { label, planMigrations } from './migration-plan.ts'
import { createRecord, readApplied } from './migration-record.ts'

export interface MigrateOptions {
  /** The owner's connection, straight to PostgreSQL: a transaction pooler would lose the session lock. */
  readonly connectionString: string
  readonly directory?: URL | string
  readonly log?: (line: string) => void
  /** How long one statement may wait for a lock. Everyone who wants that table waits behind it. */
  readonly lockTimeoutMs?: number
  readonly lockAttempts?: number
  /** How long to wait for another process that is migrating the same database. */
  readonly turnTimeoutMs?: number
}

export interface MigrationReport {
  /** The highest number recorded in the database, newer ones included. */
  readonly version: number
  readonly applied: readonly string[]
  readonly newer: readonly string[]
}

interface Settings extends ApplySettings {
  readonly turnTimeoutMs: number
}

/** "skein" in ASCII. Advisory locks are per database, so databases of one cluster do not meet here. */
const advisoryLockKey = 0x73_6b_65_69_6e

/** Brings the database up to the files. Any number of processes may call it at the same time. */
export async function migrate(options: MigrateOptions): Promise<MigrationReport> {
  const files = await readMigrationFiles(options.directory)
  const settings: Settings = {
    log: options.log ?? (() => {}),
    lockTimeoutMs: options.lockTimeoutMs ?? 2_000,
    lockAttempts: options.lockAttempts ?? 20,
    turnTimeoutMs: options.turnTimeoutMs ?? 600_000,
  }
  const client = new Client({
    connectionString: options.connectionString,
    application_name: 'skein-migrate',
    keepAlive: true,
  })
  // A connection lost between two queries fails the next query; unhandled, it would end the process instead.
  client.on('error', (error) => settings.log(`migrate: connection lost: ${error.message}`))
  try {
    await client.connect()
  } catch (error) {
    throw toSkeinError(error)
  }
  try {
    return await bringUpToDate(client, files, settings)
  } finally {
    await client.end()
  }
}

async function bringUpToDate(
  client: Client,
  files: readonly MigrationFile[],
  settings: Settings,
): Promise<MigrationReport> {
  // A role or database default must not cut a long migration short.
  await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0')
  const applied: string[] = []
  if (planMigrations(files, await readApplied(client)).pending.length > 0) {
    await waitForTurn(client, settings)
    await createRecord(client)
    for (const file of planMigrations(files, await readApplied(client)).pending) {
      await applyMigration(client, file, settings)
      settings.log(`migrate: applied ${file.fileName}`)
      applied.push(label(file))
    }
  }
  const recorded = await readApplied(client)
  const newer = planMigrations(files, recorded).newer.map(label)
  if (newer.length > 0) settings.log(`migrate: the database is ahead of this build: ${newer.join(', ')}`)
  return { version: recorded.at(-1)?.number ?? 0, applied, newer }
}

/**
 * Asks again instead of waiting inside pg_advisory_lock: a waiting statement holds a snapshot, and a migration
 * that waits for old snapshots would deadlock with it. The lock ends with the session.
 */
async function waitForTurn(client: Client, settings: Settings): Promise<void> {
  const giveUpAt = performance.now() + settings.turnTimeoutMs
  for (let announced = false; ; announced = true) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      advisoryLockKey,
    ])
    if (rows[0]?.taken === true) return
    if (!announced) settings.log('migrate: another process is migrating this database, waiting for it')
    if (performance.now() > giveUpAt) {
      throw new MigrationError(
        `Another process has been migrating this database for over ${settings.turnTimeoutMs} ms. ` +
          `Look for application_name skein-migrate in pg_stat_activity, then start again.`,
      )
    }
    await pause(50)
  }
}
