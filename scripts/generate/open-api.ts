import { readFile } from 'node:fs/promises'
import { generateOpenApi } from '../../packages/contract/src/index.ts'

export async function openApi(root: URL): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL('package.json', root), 'utf8'))
  return `${JSON.stringify(generateOpenApi(versionOf(manifest)), null, 2)}\n`
}

function versionOf(manifest: unknown): string {
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) {
    if (typeof manifest.version === 'string') return manifest.version
  }
  throw new Error('package.json has no version')
}
