import { readFile } from 'node:fs/promises'
import { generateOpenApi } from '../../packages/contract/src/index.ts'
import { isSchema, type Schema } from './schema-text.ts'

export async function openApi(root: URL): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL('package.json', root), 'utf8'))
  return `${JSON.stringify(generateOpenApi(versionOf(manifest)), null, 2)}\n`
}

/** The same as a value, from the current contract rather than from the file, which may be stale. */
export async function readOpenApi(root: URL): Promise<Schema> {
  const document: unknown = JSON.parse(await openApi(root))
  if (isSchema(document)) return document
  throw new Error('The OpenAPI document is an object')
}

function versionOf(manifest: unknown): string {
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) {
    if (typeof manifest.version === 'string') return manifest.version
  }
  throw new Error('package.json has no version')
}
