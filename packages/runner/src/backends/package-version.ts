import { readFileSync } from 'node:fs'
import { isRecord, parseJson } from '../json.ts'

/** The version in a package.json; undefined if it cannot be read. */
export function readPackageVersion(path: string): string | undefined {
  try {
    const description = parseJson(readFileSync(path, 'utf8'))
    const version = isRecord(description) ? description['version'] : undefined
    return typeof version === 'string' ? version : undefined
  } catch {
    return undefined
  }
}
