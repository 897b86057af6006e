import { describe, expect, test } from 'vitest'
import { describeImage } from '../../../scripts/images/image-sbom.ts'
import { findNeededPackages, type Lock } from '../../../scripts/images/needed-packages.ts'
import { read } from './tree.ts'

const lock: Lock = {
  packages: {
    '': {},
    'packages/server': {
      version: '1.0.0',
      dependencies: { '@skein/core': '1.0.0', pg: '8.0.0' },
      peerDependencies: { claude: '1.0.0' },
      peerDependenciesMeta: { claude: { optional: true } },
    },
    'packages/core': { version: '1.0.0', dependencies: { ms: '2.0.0' } },
    'packages/core/node_modules/ms': { version: '2.0.0' },
    'node_modules/@skein/core': { link: true, resolved: 'packages/core' },
    'node_modules/pg': {
      version: '8.0.0',
      dependencies: { ms: '1.0.0' },
      optionalDependencies: { other: '1' },
    },
    'node_modules/ms': { version: '1.0.0' },
    'node_modules/other': { version: '1.0.0', os: ['plan9'] },
    'node_modules/claude': { version: '1.0.0' },
    'node_modules/vitest': { version: '5.0.0' },
  },
}

describe('an image', () => {
  test('gets what its program needs, each in the version that it finds, and nothing else', () => {
    expect(findNeededPackages(lock, 'packages/server').map(({ place, name }) => [place, name])).toEqual([
      ['node_modules/ms', 'ms'],
      ['node_modules/pg', 'pg'],
      ['packages/core', '@skein/core'],
      ['packages/core/node_modules/ms', 'ms'],
      ['packages/server', '@skein/server'],
    ])
  })

  test('is not built from a lock that lacks something', () => {
    const { 'node_modules/ms': _missing, ...packages } = lock.packages
    expect(() => findNeededPackages({ packages }, 'packages/server')).toThrow('needs ms')
    expect(() => findNeededPackages(lock, 'packages/nothing')).toThrow('packages/nothing')
  })

  test('of the server or the runner has no agent program, no database and no test tool', async () => {
    const real = JSON.parse(await read('package-lock.json')) as Lock
    for (const program of ['server', 'runner']) {
      const names = findNeededPackages(real, `packages/${program}`).map(({ name }) => name)
      expect(names).toContain('@skein/core')
      expect(names.filter((name) => /claude|codex|postgres$|embedded|vitest|testkit/.test(name))).toEqual([])
    }
  })

  test('has an SBOM that is the same for the same content', () => {
    const options = {
      image: 'skein-server',
      version: '1.0.0',
      packages: findNeededPackages(lock, 'packages/server'),
      integrity: () => `sha512-${Buffer.from('hash').toString('base64')}`,
      nodeVersion: '24.0.0',
      debian: ['libc6 2.41-12 amd64'],
      createdAt: new Date(0),
    }
    const sbom = describeImage(options)
    expect(describeImage(options)).toBe(sbom)
    expect(JSON.parse(sbom)).toMatchObject({
      bomFormat: 'CycloneDX',
      serialNumber: expect.stringMatching(/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
    })
    for (const purl of ['pkg:deb/debian/libc6@2.41-12?arch=amd64', 'pkg:npm/%40skein/core@1.0.0'])
      expect(sbom).toContain(purl)
    const other = describeImage({ ...options, version: '1.0.1' })
    expect((JSON.parse(other) as { serialNumber: string }).serialNumber).not.toBe(
      (JSON.parse(sbom) as { serialNumber: string }).serialNumber,
    )
  })
})
