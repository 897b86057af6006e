import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseError, type Client } from 'pg'
import { MigrationError } from './migration-files.ts'

/** Files that are applied together, and their record. */
export interface Step {
  readonly name: string
  readonly files: readonly { readonly fileName: string; readonly sql: string }[]
  readonly record: { readonly text: string; readonly values: unknown[] }
}

export interface ApplySettings {
  readonly log: (line: string) => void
  readonly lockTimeoutMs: number
  readonly lockAttempts: number
}

/** One transaction that includes the record. Lock conflicts are retried a limited number of times. */
export async function applyStep(client: Client, step: Step, settings: ApplySettings): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await applyOnce(client, step, settings.lockTimeoutMs)
      return
    } catch (error) {
      // Fails only if the connection is lost, and then so is the transaction.
      await client.query('rollback').catch(() => undefined)
      if (!isLockConflict(error)) throw toMigrationError(step, error)
      if (attempt >= settings.lockAttempts) {
        throw new MigrationError(
          `${step.name} could not get its locks in ${attempt} attempts and changed nothing. ` +
            `End the long transactions shown in pg_stat_activity, then run it again.`,
          { cause: error },
        )
      }
      settings.log(`migrate: ${step.name} was blocked by a long transaction (attempt ${attempt}), retrying`)
      // Lets the queries through that queued up behind this attempt.
      await pause(settings.lockTimeoutMs / 2)
    }
  }
}

async function applyOnce(client: Client, step: Step, lockTimeoutMs: number): Promise<void> {
  await client.query('begin')
  await client.query(`set local lock_timeout = ${lockTimeoutMs}`)
  for (const file of step.files) {
    try {
      await client.query(file.sql)
    } catch (error) {
      throw isLockConflict(error) ? error : failedFile(file, error)
    }
  }
  await client.query(step.record.text, step.record.values)
  await client.query('commit')
}

function isLockConflict(error: unknown): boolean {
  const lockNotAvailable = '55P03'
  const deadlockDetected = '40P01'
  return (
    error instanceof DatabaseError && (error.code === lockNotAvailable || error.code === deadlockDetected)
  )
}

function failedFile({ fileName, sql }: Step['files'][number], error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error
  const position = Number(error.position ?? 0)
  const line = position > 0 ? ` line ${sql.slice(0, position).split('\n').length}` : ''
  return new MigrationError(`${fileName}${line} failed and changed nothing: ${error.message}`, {
    cause: error,
  })
}

function toMigrationError({ name }: Step, error: unknown): MigrationError {
  if (error instanceof MigrationError) return error
  return new MigrationError(
    `${name} was interrupted. Run it again: it is applied completely or not at all.`,
    {
      cause: error,
    },
  )
}
