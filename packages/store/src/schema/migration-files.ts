import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'

export interface MigrationFile {
  readonly number: number
  readonly name: string
  readonly fileName: string
  /** SHA-256 in hex of the text with LF line endings. */
  readonly checksum: string
  readonly sql: string
}

/** A state of files or database that a person must resolve. The message says how. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

// Both src/ and dist/ are siblings of migrations/.
const shippedMigrations = new URL('../../migrations/', import.meta.url)

export async function readMigrationFiles(
  directory: URL | string = shippedMigrations,
): Promise<MigrationFile[]> {
  const path = directory instanceof URL ? fileURLToPath(directory) : directory
  const fileNames = (await readdir(path)).filter((fileName) => fileName.endsWith('.sql'))
  return parseMigrationFiles(
    await Promise.all(
      fileNames.map(async (fileName) => ({ fileName, text: await readFile(join(path, fileName), 'utf8') })),
    ),
  )
}

/** The highest migration of this build: the schema it was written for. */
export async function requiredSchemaVersion(directory?: URL | string): Promise<number> {
  return (await readMigrationFiles(directory)).at(-1)?.number ?? 0
}

/** Sorted by number. Numbers start at 1, without gaps or duplicates. */
export function parseMigrationFiles(
  sources: readonly { readonly fileName: string; readonly text: string }[],
): MigrationFile[] {
  const files = sources.map(parseMigrationFile).sort((a, b) => a.number - b.number)
  for (const [index, file] of files.entries()) {
    const previous = files[index - 1]
    if (previous?.number === file.number) {
      throw new MigrationError(
        `${previous.fileName} and ${file.fileName} have the same number. ` +
          `Give the one that was merged last the next free number.`,
      )
    }
    if (file.number !== index + 1) {
      throw new MigrationError(
        `Migration ${fourDigits(index + 1)} is missing: the next file is ${file.fileName}. ` +
          `Restore the missing file, or renumber the files that no database has applied yet.`,
      )
    }
  }
  return files
}

function parseMigrationFile(source: { readonly fileName: string; readonly text: string }): MigrationFile {
  const [, digits, name] = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(source.fileName) ?? []
  if (digits === undefined || name === undefined) {
    throw new MigrationError(
      `${source.fileName} is not a valid migration name. Use NNNN_what_it_does.sql, for example 0001_agents.sql.`,
    )
  }
  const sql = toLineFeeds(source.text)
  const statement = transactionStatement(sql)
  if (statement !== undefined) {
    throw new MigrationError(
      `${source.fileName} contains "${statement}". Remove it: each migration runs in one transaction ` +
        `together with its record, and ending that early would leave it half applied.`,
    )
  }
  return {
    number: Number(digits),
    name,
    fileName: source.fileName,
    checksum: createHash('sha256').update(sql).digest('hex'),
    sql,
  }
}

/** A Windows checkout must not count as an edited file. */
export function toLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

/** The first statement that would begin or end a transaction, if any. */
export function transactionStatement(sql: string): string | undefined {
  const opaque = /--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|'(?:''|[^'])*'/g
  const statements = sql.replace(opaque, ' ')
  return /(?:^|;)\s*(begin|commit|rollback|start\s+transaction)\b/i.exec(statements)?.[1]
}

export function fourDigits(number: number): string {
  return String(number).padStart(4, '0')
}
