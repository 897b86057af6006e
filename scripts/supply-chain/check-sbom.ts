import type { LockEntry } from './lock-entries.ts'

/** The parts of CycloneDX 1.5 we promise. */
export interface Sbom {
  readonly bomFormat: string
  readonly specVersion: string
  readonly serialNumber: string
  readonly metadata: { readonly component: { readonly name: string } }
  readonly components: readonly SbomComponent[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

interface SbomComponent {
  readonly 'bom-ref': string
  readonly type: string
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[]
}

/** Problems, one line each: invalid format, packages of the lock that are missing, and different hashes. */
export function checkSbom(sbom: Sbom, entries: readonly LockEntry[]): string[] {
  return [...formProblems(sbom), ...contentProblems(sbom, entries)]
}

function* formProblems({ bomFormat, specVersion, serialNumber, components, dependencies }: Sbom) {
  if (bomFormat !== 'CycloneDX' || !/^1\.\d+$/.test(specVersion))
    yield `${bomFormat} ${specVersion} is not CycloneDX`
  if (!/^urn:uuid:[0-9a-f-]{36}$/.test(serialNumber)) yield `${serialNumber} is no serial number`
  const refs = new Set(components.map((component) => component['bom-ref']))
  if (refs.size !== components.length) yield 'two components have the same bom-ref'
  for (const { name, version, purl, type } of components)
    if (name === '' || version === '' || type === '' || !purl.startsWith('pkg:npm/'))
      yield `${name}@${version} lacks a name, a version, a type or a package URL`
  const dangling = dependencies.flatMap(({ dependsOn = [] }) => dependsOn).filter((ref) => !refs.has(ref))
  if (dangling.length > 0) yield `nothing describes ${dangling.join(', ')}`
}

function* contentProblems({ components }: Sbom, entries: readonly LockEntry[]) {
  const byName = new Map(components.map((component) => [`${component.name}@${component.version}`, component]))
  for (const { name, version, integrity } of entries) {
    const component = byName.get(`${name}@${version}`)
    if (!component) yield `${name}@${version} is in the lock and not in the SBOM`
    else if (integrity !== '' && !hasHash(component, integrity)) yield `${name}@${version} has another hash`
  }
}

function hasHash({ hashes = [] }: SbomComponent, integrity: string): boolean {
  const wanted = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')
  return hashes.some(({ alg, content }) => alg === 'SHA-512' && content === wanted)
}
