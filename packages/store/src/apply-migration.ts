import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseError, type Client } from 'pg'
import { MigrationError, type MigrationFile } from './migration-files.ts'

export interface ApplySettings {
  readonly log: (line: string) => void
  readonly lockTimeoutMs: number
  readonly lockAttempts: number
}

/** One transaction with its record in it, tried again a bounded number of times when it meets a lock. */
export async function applyMigration(
  client: Client,
  file: MigrationFile,
  settings: ApplySettings,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await applyOnce(client, file, settings.lockTimeoutMs)
      return
    } catch (error) {
      // Fails only when the connection is gone, and then the transaction is too.
      await client.query('rollback').catch(() => undefined)
      if (!isLockConflict(error)) throw failedMigration(file, error)
      if (attempt >= settings.lockAttempts) {
        throw new MigrationError(
          `${file.fileName} could not get its locks in ${attempt} attempts and changed nothing. ` +
            `End the long transactions shown in pg_stat_activity, then start again.`,
          { cause: error },
        )
      }
      settings.log(`migrate: ${file.fileName} met a long transaction (attempt ${attempt}), trying again`)
      // Lets the queries that queued up behind the attempt through before the next one.
      await pause(settings.lockTimeoutMs / 2)
    }
  }
}

async function applyOnce(client: Client, file: MigrationFile, lockTimeoutMs: number): Promise<void> {
  await client.query('begin')
  await client.query(`set local lock_timeout = ${lockTimeoutMs}`)
  await client.query(file.sql)
  await client.query('insert into public.skein_migration (number, name, checksum) values ($1, $2, $3)', [
    file.number,
    file.name,
    file.checksum,
  ])
  await client.query('commit')
}

function isLockConflict(error: unknown): boolean {
  const lockNotAvailable = '55P03'
  const deadlockDetected = '40P01'
  return (
    error instanceof DatabaseError && (error.code === lockNotAvailable || error.code === deadlockDetected)
  )
}

function failedMigration(file: MigrationFile, error: unknown): MigrationError {
  if (!(error instanceof DatabaseError)) {
    return new MigrationError(`${file.fileName} was interrupted. Start again: it is applied whole or not.`, {
      cause: error,
    })
  }
  const position = Number(error.position ?? 0)
  const line = position > 0 ? ` line ${file.sql.slice(0, position).split('\n').length}` : ''
  return new MigrationError(`${file.fileName}${line} failed and changed nothing: ${error.message}`, {
    cause: error,
  })
}
