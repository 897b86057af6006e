import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { applyStep, type ApplySettings } from './apply-step.ts'
import { toSkeinError } from '../database/database-errors.ts'
import { readAppliedSets, readFunctionSet, type FunctionSet } from './function-set.ts'
import { MigrationError, readMigrationFiles, type MigrationFile } from './migration-files.ts'
import { label, planMigrations } from './migration-plan.ts'
import { createRecord, readApplied } from './migration-record.ts'

export interface MigrateOptions {
  /** The owner login, connected directly: a transaction pooler would lose the session lock. */
  readonly connectionString: string
  /** Custom migrations come without functions, unless these are given too. */
  readonly directory?: URL | string
  readonly functionsDirectory?: URL | string
  readonly log?: (line: string) => void
  /** How long one statement may wait for a lock. Others that need the table wait behind it. */
  readonly lockTimeoutMs?: number
  readonly lockAttempts?: number
  /** How long to wait for another process migrating the same database. */
  readonly turnTimeoutMs?: number
}

export interface MigrationReport {
  /** The highest number recorded in the database, including newer ones. */
  readonly version: number
  readonly applied: readonly string[]
  readonly newer: readonly string[]
  /** Whether this build's functions were applied. */
  readonly functionsApplied: boolean
}

interface Source {
  readonly files: readonly MigrationFile[]
  readonly functions: FunctionSet | undefined
}

interface Settings extends ApplySettings {
  readonly turnTimeoutMs: number
}

/** "skein" in ASCII. Advisory locks are per database, so databases of one cluster don't conflict. */
const advisoryLockKey = 0x73_6b_65_69_6e

/** Applies all pending files. Any number of processes may call it at the same time. */
export async function migrate(options: MigrateOptions): Promise<MigrationReport> {
  const source = await readSource(options)
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
  // A connection lost between two queries fails the next one. Unhandled, this event would end the process.
  client.on('error', (error) => settings.log(`migrate: connection lost: ${error.message}`))
  try {
    await client.connect()
  } catch (error) {
    throw toSkeinError(error)
  }
  try {
    return await bringUpToDate(client, source, settings)
  } finally {
    await client.end()
  }
}

async function readSource({ directory, functionsDirectory }: MigrateOptions): Promise<Source> {
  const hasFunctions = directory === undefined || functionsDirectory !== undefined
  return {
    files: await readMigrationFiles(directory),
    functions: hasFunctions ? await readFunctionSet(functionsDirectory) : undefined,
  }
}

async function bringUpToDate(client: Client, source: Source, settings: Settings): Promise<MigrationReport> {
  // A default of the role or database must not cut a long migration short.
  await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0')
  const applied: string[] = []
  let functionsApplied = false
  if (!(await isUpToDate(client, source))) {
    await waitForTurn(client, settings)
    await createRecord(client)
    for (const file of planMigrations(source.files, await readApplied(client)).pending) {
      await applyStep(client, migrationStep(file), settings)
      settings.log(`migrate: applied ${file.fileName}`)
      applied.push(label(file))
    }
    functionsApplied = await applyFunctions(client, source, settings)
  }
  const recorded = await readApplied(client)
  const newer = planMigrations(source.files, recorded).newer.map(label)
  if (source.functions && (await readAppliedSets(client)).at(-1) !== source.functions.checksum) {
    settings.log('migrate: keeping the functions in the database, which are from a newer build')
  }
  if (newer.length > 0) settings.log(`migrate: the database is ahead of this build: ${newer.join(', ')}`)
  return { version: recorded.at(-1)?.number ?? 0, applied, newer, functionsApplied }
}

async function isUpToDate(client: Client, { files, functions }: Source): Promise<boolean> {
  const { pending } = planMigrations(files, await readApplied(client))
  if (pending.length > 0) return false
  return functions === undefined || (await readAppliedSets(client)).includes(functions.checksum)
}

/** A set that was ever applied is not applied again: an older build must not undo a newer one's. */
async function applyFunctions(
  client: Client,
  { files, functions }: Source,
  settings: Settings,
): Promise<boolean> {
  if (!functions || planMigrations(files, await readApplied(client)).newer.length > 0) return false
  if ((await readAppliedSets(client)).includes(functions.checksum)) return false
  const record = {
    text: 'insert into public.skein_function_set (checksum) values ($1)',
    values: [functions.checksum],
  }
  await applyStep(client, { name: 'The functions', files: functions.files, record }, settings)
  settings.log(`migrate: applied ${functions.files.length} files of functions`)
  return true
}

function migrationStep(file: MigrationFile) {
  const text = 'insert into public.skein_migration (number, name, checksum) values ($1, $2, $3)'
  const record = { text, values: [file.number, file.name, file.checksum] }
  return { name: file.fileName, files: [file], record }
}

/**
 * Polls instead of waiting inside pg_advisory_lock: a waiting statement holds a snapshot, and would deadlock with a
 * migration that waits for old snapshots. The lock ends with the session.
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
          `Look for application_name skein-migrate in pg_stat_activity, then run it again.`,
      )
    }
    await pause(50)
  }
}
