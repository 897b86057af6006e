/**
 * `npm run check:lock`: every package in the lock has a hash, so that nobody can exchange what is installed. The
 * exceptions are counted: what the registry at hand does not serve cannot be hashed (docs/dependencies.md).
 */
import { readFile } from 'node:fs/promises'

interface LockEntry {
  readonly version?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly optional?: boolean
}

/** Families of native packages of build tools. Each is optional, and for platforms other than Linux on x64 with glibc. */
const UNHASHED = [
  /^@oxc-parser\/binding-/,
  /^@oxlint\/binding-/,
  /^@oxlint-tsgolint\//,
  /^@rolldown\/binding-/,
  /^@tailwindcss\/oxide-/,
]

const path = new URL('../package-lock.json', import.meta.url)
const { packages } = JSON.parse(await readFile(path, 'utf8')) as {
  readonly packages: Readonly<Record<string, LockEntry>>
}

let unhashed = 0
const faults: string[] = []
for (const [place, entry] of Object.entries(packages)) {
  const name = place.split('node_modules/').at(-1) ?? ''
  const isOurs = !place.includes('node_modules/') || entry.link === true
  if (isOurs) continue
  if (entry.integrity?.startsWith('sha512-') === true) continue
  if (entry.optional === true && UNHASHED.some((family) => family.test(name)) && !isForServers(name))
    unhashed += 1
  else faults.push(`${name}@${entry.version}`)
}
if (faults.length > 0) {
  console.error(`No SHA-512 in package-lock.json for:\n  ${faults.join('\n  ')}\nRun npm run lock.`)
  process.exitCode = 1
} else if (unhashed > 0) {
  console.log(`${unhashed} packages of other platforms have no hash; see docs/dependencies.md.`)
}

/** Where CI and servers run. */
function isForServers(name: string): boolean {
  return name.endsWith('linux-x64-gnu') || name.endsWith('linux-x64')
}
