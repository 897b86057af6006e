/**
 * `npm run sbom`: writes an SBOM (CycloneDX) to dist/sbom.cdx.json and checks that it is complete: it contains every
 * package in the lock, with the lock's hash.
 */
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { checkSbom, type Sbom } from './supply-chain/check-sbom.ts'
import { readLock } from './supply-chain/lock-entries.ts'

const root = new URL('../', import.meta.url)
const { stdout } = await promisify(execFile)(
  'npm',
  ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'],
  { cwd: fileURLToPath(root), maxBuffer: 64 * 1024 * 1024 },
)
const found = JSON.parse(stdout) as Sbom
// npm uses the folder's name.
const sbom: Sbom = { ...found, metadata: withName(found.metadata, 'skein') }
const problems = checkSbom(sbom, readLock(await readFile(new URL('package-lock.json', root), 'utf8')))
await mkdir(new URL('dist/', root), { recursive: true })
await writeFile(new URL('dist/sbom.cdx.json', root), `${JSON.stringify(sbom, null, 2)}\n`)
console.log(`dist/sbom.cdx.json: ${sbom.components.length} components`)
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1

function withName(metadata: Sbom['metadata'], name: string): Sbom['metadata'] {
  return { ...metadata, component: { ...metadata.component, name } }
}
