/** The lock's entry for a package installed from a registry. */
export interface LockEntry {
  readonly name: string
  readonly version: string
  readonly integrity: string
  readonly isOptional: boolean
}

interface RawEntry {
  readonly version?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly optional?: boolean
}

/** Without our own packages. */
export function readLock(text: string): LockEntry[] {
  const { packages } = JSON.parse(text) as { readonly packages: Readonly<Record<string, RawEntry>> }
  return Object.entries(packages)
    .filter(([place, { link }]) => place.includes('node_modules/') && link !== true)
    .map(([place, { version = '', integrity = '', optional = false }]) => ({
      name: place.split('node_modules/').at(-1) ?? '',
      version,
      integrity,
      isOptional: optional,
    }))
}

/** Native packages of build tools. All are optional, and for platforms other than Linux x64 with glibc. */
const UNHASHED = [
  /^@oxc-parser\/binding-/,
  /^@oxlint\/binding-/,
  /^@oxlint-tsgolint\//,
  /^@rolldown\/binding-/,
  /^@tailwindcss\/oxide-/,
]

/** A package with a hash cannot be replaced. The exceptions are packages the available registry doesn't serve. */
export function checkHashes(entries: readonly LockEntry[]): { faults: LockEntry[]; exceptions: LockEntry[] } {
  const unhashed = entries.filter(({ integrity }) => !integrity.startsWith('sha512-'))
  const exceptions = unhashed.filter(isException)
  return { faults: unhashed.filter((entry) => !isException(entry)), exceptions }
}

function isException({ name, isOptional }: LockEntry): boolean {
  return isOptional && UNHASHED.some((family) => family.test(name)) && !isForServers(name)
}

/** The platforms of CI and servers. */
function isForServers(name: string): boolean {
  return name.endsWith('linux-x64-gnu') || name.endsWith('linux-x64')
}
