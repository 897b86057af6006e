import { fourDigits, MigrationError, type MigrationFile } from './migration-files.ts'

export interface AppliedMigration {
  readonly number: number
  readonly name: string
  readonly checksum: string
}

export interface MigrationPlan {
  readonly pending: readonly MigrationFile[]
  /** Applied by a newer build: normal while two versions run side by side. */
  readonly newer: readonly AppliedMigration[]
}

/** Expects `files` from `parseMigrationFiles` and `applied` sorted by number. */
export function planMigrations(
  files: readonly MigrationFile[],
  applied: readonly AppliedMigration[],
): MigrationPlan {
  for (const [index, row] of applied.entries()) {
    if (row.number !== index + 1) {
      throw new MigrationError(
        `The database has migration ${label(row)} but not ${fourDigits(index + 1)}. ` +
          `Someone changed the table skein_migration by hand: restore its rows from a backup.`,
      )
    }
    const file = files[index]
    if (file !== undefined && file.checksum !== row.checksum) {
      throw new MigrationError(
        `${file.fileName} differs from what this database applied as ${label(row)}. ` +
          `Restore the original file and put the change into a new migration.`,
      )
    }
  }
  return { pending: files.slice(applied.length), newer: applied.slice(files.length) }
}

export function label(migration: { readonly number: number; readonly name: string }): string {
  return `${fourDigits(migration.number)}_${migration.name}`
}
