/**
 * `npm run lock [-- <folder>]`: restores optional packages of other platforms in package-lock.json. npm drops packages from the
 * lock that the available registry doesn't have, and `npm ci` then rejects the incomplete lock. Run it after
 * changing dependencies with an incomplete registry. Otherwise it changes nothing.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface LockEntry {
  version?: string
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}

interface Lock {
  packages: Record<string, LockEntry>
}

const path = join(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)), 'package-lock.json')
const lock = JSON.parse(await readFile(path, 'utf8')) as Lock
const added: string[] = []
for (const [place, { optionalDependencies, version }] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(optionalDependencies ?? {})) {
    if (`${place}/node_modules/${name}` in lock.packages || `node_modules/${name}` in lock.packages) continue
    const exact = /^\d/.test(range) ? range : (version ?? range)
    lock.packages[`node_modules/${name}`] = { version: exact, ...platformOf(name), optional: true }
    added.push(name)
  }
}
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([left], [right]) => left.localeCompare(right, 'en')),
)
await writeFile(path, `${JSON.stringify(lock, null, 2)}\n`)
console.log(added.length === 0 ? 'The lock is complete.' : `Added ${added.length}: ${added.join(', ')}`)

/** The names of such packages contain the platform: @oxlint/binding-linux-arm64-musl. */
function platformOf(name: string): LockEntry {
  const parts = name.split(/[/-]/)
  const find = (known: readonly string[]): string[] => known.filter((word) => parts.includes(word))
  const [os] = find([
    'android',
    'darwin',
    'freebsd',
    'linux',
    'openharmony',
    'win32',
    'windows',
    'sunos',
    'aix',
  ])
  const [cpu] = find(['arm64', 'arm', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'wasm32'])
  const [libc] = find(['musl', 'gnu', 'gnueabihf', 'musleabihf'])
  return {
    ...(os && { os: [os === 'windows' ? 'win32' : os] }),
    ...(cpu && { cpu: [cpu] }),
    ...(libc && os === 'linux' && { libc: [libc.startsWith('musl') ? 'musl' : 'glibc'] }),
  }
}
