import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MigrationError, toLineFeeds, transactionStatement } from './migration-files.ts'
import type { Queryable } from './migration-record.ts'

/** The database functions this build needs, applied together after the migrations. */
export interface FunctionSet {
  /** SHA-256 in hex over names and texts. */
  readonly checksum: string
  readonly files: readonly FunctionFile[]
}

interface FunctionFile {
  readonly fileName: string
  readonly sql: string
}

// Both src/ and dist/ are siblings of functions/.
const shippedFunctions = new URL('../../functions/', import.meta.url)

export async function readFunctionSet(directory: URL | string = shippedFunctions): Promise<FunctionSet> {
  const path = directory instanceof URL ? fileURLToPath(directory) : directory
  const fileNames = (await readdir(path)).filter((fileName) => fileName.endsWith('.sql')).toSorted()
  const files = await Promise.all(
    fileNames.map(async (fileName) => parseFile(fileName, await readFile(join(path, fileName), 'utf8'))),
  )
  const checksum = createHash('sha256').update(JSON.stringify(files)).digest('hex')
  return { checksum, files }
}

function parseFile(fileName: string, text: string): FunctionFile {
  const sql = toLineFeeds(text)
  const statement = transactionStatement(sql)
  if (statement !== undefined) {
    throw new MigrationError(`${fileName} contains "${statement}". Remove it: all files are one transaction.`)
  }
  return { fileName, sql }
}

/** Checksums of all applied sets, newest last. */
export async function readAppliedSets(client: Queryable): Promise<string[]> {
  const table = await client.query(`select 1 where to_regclass('public.skein_function_set') is not null`)
  if (table.rows.length === 0) return []
  const { rows } = await client.query('select checksum from public.skein_function_set order by number')
  return rows.map(parseChecksum)
}

function parseChecksum(row: unknown): string {
  if (row instanceof Object && 'checksum' in row && typeof row.checksum === 'string') return row.checksum
  throw new MigrationError('The table skein_function_set is not ours: checksum is missing.')
}
