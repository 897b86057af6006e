import { createHash } from 'node:crypto'
import type { NeededPackage } from './needed-packages.ts'

interface SbomOptions {
  readonly image: string
  readonly version: string
  readonly packages: readonly NeededPackage[]
  /** By place, as in the lock: `sha512-…`. */
  readonly integrity: (place: string) => string | undefined
  readonly nodeVersion: string
  /** Lines `name version architecture` of what comes from Debian. */
  readonly debian: readonly string[]
  readonly createdAt: Date
}

/** What is in an image, as CycloneDX 1.5. The same content always gives the same text. */
export function describeImage(options: SbomOptions): string {
  const { image, version, packages, integrity, nodeVersion, debian, createdAt } = options
  const components = [
    component('node', nodeVersion, `pkg:generic/node@${nodeVersion}`),
    ...debian.map((line) => {
      const [name = '', found = '', arch = ''] = line.split(' ')
      return component(name, found, `pkg:deb/debian/${name}@${encodeURIComponent(found)}?arch=${arch}`)
    }),
    ...packages.map(({ name, version: found, place }) => ({
      ...component(name, found, `pkg:npm/${name.replace('@', '%40')}@${found}`, place),
      ...hashes(integrity(place)),
    })),
  ]
  const digest = createHash('sha256')
    .update(JSON.stringify([image, version, components]))
    .digest('hex')
  return `${JSON.stringify(
    {
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      serialNumber: `urn:uuid:${digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-5$3-8$4-$5')}`,
      version: 1,
      metadata: {
        timestamp: createdAt.toISOString(),
        component: { type: 'container', name: image, version, 'bom-ref': image },
      },
      components,
    },
    null,
    2,
  )}\n`
}

function component(name: string, version: string, purl: string, place = ''): object {
  // The same version of a package can be in two places.
  const reference = place === '' ? purl : `${purl}#${place}`
  return { 'bom-ref': reference, type: 'library', name, version, purl }
}

function hashes(integrity: string | undefined): object {
  const [, content] = /^sha512-(.+)$/.exec(integrity ?? '') ?? []
  if (content === undefined) return {}
  return { hashes: [{ alg: 'SHA-512', content: Buffer.from(content, 'base64').toString('hex') }] }
}
