import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { checkSbom, type Sbom } from '../../../scripts/supply-chain/check-sbom.ts'
import { checkHashes, readLock } from '../../../scripts/supply-chain/lock-entries.ts'
import { readAdvisories } from '../../../scripts/supply-chain/read-advisories.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const read = (path: string) => readFile(`${root}${path}`, 'utf8')
const entries = readLock(await read('package-lock.json'))

describe('the lock file', () => {
  test('has a SHA-512 for every package, but for as many as docs/dependencies.md says', async () => {
    const { faults, exceptions } = checkHashes(entries)
    expect(faults).toEqual([])
    const claimed = /The exceptions are (\d+) native packages/.exec(await read('docs/dependencies.md'))?.[1]
    expect(exceptions).toHaveLength(Number(claimed))
  })

  test('is refused when a package that ships, or one for servers, has no hash', () => {
    const pg = entries.filter(({ name }) => name === 'pg').map((entry) => ({ ...entry, integrity: '' }))
    const native = {
      name: '@oxlint/binding-linux-x64-gnu',
      version: '1.0.0',
      integrity: '',
      isOptional: true,
    }
    expect(checkHashes([...pg, native]).faults).toHaveLength(2)
  })
})

describe('the SBOM', async () => {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 })
  const sbom = JSON.parse(stdout) as Sbom

  test('is valid, and has every package of the lock with its hash', () => {
    expect(sbom.components.length).toBeGreaterThan(entries.length)
    expect(checkSbom(sbom, entries)).toEqual([])
  })

  test('is refused when a package is missing, has another hash or depends on what is not described', () => {
    const [first, ...rest] = sbom.components
    const name = `${first?.name}@${first?.version}`
    expect(checkSbom({ ...sbom, components: rest }, entries)).toContain(
      `${name} is in the lock and not in the SBOM`,
    )
    const hashes = [{ alg: 'SHA-512', content: '00' }]
    const forged = first && { ...sbom, components: [{ ...first, hashes }, ...rest] }
    expect(forged && checkSbom(forged, entries)).toEqual([`${name} has another hash`])
    expect(checkSbom({ ...sbom, bomFormat: 'SPDX' }, entries)).toEqual(['SPDX 1.5 is not CycloneDX'])
  })
})

describe('advisories', () => {
  test('of high severity and above count, others do not', () => {
    const vulnerabilities = {
      a: { severity: 'high' },
      b: { severity: 'moderate' },
      c: { severity: 'critical' },
    }
    expect(readAdvisories(JSON.stringify({ vulnerabilities }))).toEqual({
      type: 'asked',
      severe: ['a (high)', 'c (critical)'],
    })
  })

  test.each([
    [
      'a registry that does not answer',
      JSON.stringify({ message: '405 Method Not Allowed', statusCode: 405 }),
    ],
    ['no connection', JSON.stringify({ error: { code: 'ENOTFOUND' } })],
    ['nothing', ''],
  ])('are never taken to be none because of %s', (_what, report) => {
    expect(readAdvisories(report)).toMatchObject({ type: 'not-asked' })
  })
})
