import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { LONG_TESTS } from '../../../scripts/long-tests.ts'
import { files, read, root } from './tree.ts'

const SUFFIXES = ['db', 'process', 'program', 'browser', 'nightly']

/** What starts a database, or a server with one. */
const FIXTURES = ['createEmptyDatabase', 'createTestDatabase', 'startPostgresServer', 'startTestServer']

const IMPORT = /^import (?!type )([^;]*?) from '([^']+)'/gms

test('a test that needs a database says so in its name', async () => {
  const tests = await files('packages/*/test/**/*.test.ts')
  const plain = tests.filter((path) => !SUFFIXES.some((suffix) => path.endsWith(`.${suffix}.test.ts`)))
  expect(plain.length).toBeGreaterThan(50)
  const using: string[] = []
  for (const path of plain) if (await usesDatabase(path)) using.push(path)
  expect(using).toEqual([])
})

test('a test with PostgreSQL is recognised, whether it imports the fixture itself or through a file', async () => {
  const paths = ['packages/store/test/migrate.db.test.ts', 'packages/client/test/agents.db.test.ts']
  expect(await Promise.all(paths.map((path) => usesDatabase(path)))).toEqual([true, true])
})

test('every suffix has a suite, and every suite runs a suffix', async () => {
  const configs = await Promise.all((await files('vitest.*.config.ts')).map(read))
  const included = configs.flatMap((config) => [...config.matchAll(/\*\.(\w+)\.test\.ts'/g)])
  const suites = new Set(included.map(([, suffix]) => suffix))
  // The whole suite runs what needs only PostgreSQL.
  expect(suites).toEqual(new Set(SUFFIXES.filter((suffix) => suffix !== 'db')))
})

test('what CI leaves to the night exists, and belongs to a suite that runs at night', () => {
  expect(LONG_TESTS.filter((path) => !existsSync(`${root}${path}`))).toEqual([])
  for (const path of LONG_TESTS) expect(path).toMatch(/\.(process|program|browser)\.test\.ts$/)
})

async function usesDatabase(path: string, seen = new Set<string>()): Promise<boolean> {
  if (seen.has(path) || !existsSync(`${root}${path}`)) return false
  seen.add(path)
  for (const [, names = '', source = ''] of (await read(path)).matchAll(IMPORT)) {
    if (FIXTURES.some((fixture) => new RegExp(`(?<!type )\\b${fixture}\\b`).test(names))) return true
    // Only through files of tests: what a package does is its own affair.
    const imported = source.startsWith('.') && join(dirname(path), source)
    if (imported && imported.includes('/test/') && (await usesDatabase(imported, seen))) return true
  }
  return false
}
