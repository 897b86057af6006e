import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { OPERATIONS, REASONS, reasonsOf, type Operation, type Reason } from '@skein/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { NOT_SERVED } from '../../src/routes/not-served.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const registered: readonly string[] = Object.keys(REASONS)
let sources: Map<string, string>

beforeAll(async () => {
  sources = new Map()
  for await (const path of glob('packages/*/src/**/*.ts', { cwd: root })) {
    sources.set(path, await readFile(`${root}${path}`, 'utf8'))
  }
})

const readPage = () => readFile(`${root}docs/errors.md`, 'utf8')

/** Where a reason is only named, not given: the registry itself and the operations that declare it. */
const DECLARATIONS = /^packages\/contract\/src\/(errors\/reasons|operations\/)/

function givenReasons(): Set<string> {
  const given = new Set<string>()
  for (const [path, text] of sources) {
    if (DECLARATIONS.test(path)) continue
    for (const [, literal] of text.matchAll(/'([A-Z][A-Z0-9_]+)'/g)) {
      if (literal !== undefined && registered.includes(literal)) given.add(literal)
    }
  }
  return given
}

/** The operations that can be refused for this reason alone among all. */
function operationsOf(reason: string): Operation[] {
  return OPERATIONS.filter((operation) => reasonsOf(operation).includes(reason as Reason))
}

const isServed = ({ id }: Operation) => !NOT_SERVED.some(({ operation }) => operation.id === id)

describe('the registry of reasons', () => {
  test('has none that nothing gives, unless only operations of a later version will', () => {
    const given = givenReasons()
    const idle = registered.filter((reason) => !given.has(reason))
    const unexplained = idle.filter((reason) => {
      const operations = operationsOf(reason)
      return operations.length === 0 || operations.some(isServed)
    })
    expect(unexplained).toEqual([])
  })

  test('has every reason that the code gives', () => {
    const unknown: string[] = []
    for (const [path, text] of sources) {
      for (const [, reason] of text.matchAll(/new SkeinError\(\s*'([^']*)'/g)) {
        if (reason !== undefined && !registered.includes(reason)) unknown.push(`${reason} in ${path}`)
      }
    }
    expect(unknown).toEqual([])
  })

  test('is found by this test at all: the code returns reasons in many places', () => {
    const places = [...sources.values()].flatMap((text) => [...text.matchAll(/new SkeinError\(/g)])
    expect(places.length).toBeGreaterThan(15)
    expect(givenReasons().size).toBeGreaterThan(20)
  })
})

describe('docs/errors.md', () => {
  test('has a section for every reason and for nothing else', async () => {
    const sections = [...(await readPage()).matchAll(/^### (\S+)$/gm)].map(([, reason]) => String(reason))
    expect(sections.toSorted()).toEqual(registered.toSorted())
  })

  test('shows the HTTP status, the meaning and the remedy of each', async () => {
    const page = (await readPage()).replaceAll(/[\\`]/g, '')
    for (const [reason, { summary, remedy }] of Object.entries(REASONS)) {
      const start = page.indexOf(`### ${reason}\n`)
      const section = page.slice(start, page.indexOf('\n##', start + 4) >>> 0)
      expect(section).toContain(summary)
      expect(section).toContain(remedy)
      expect(section).toMatch(/HTTP status \d{3}/)
    }
  })
})

test('every reason is declared by the operations that return it, or is the server’s own', () => {
  const declared = new Set(OPERATIONS.flatMap((operation) => reasonsOf(operation)))
  const undeclared = registered.filter((reason) => !declared.has(reason as Reason))
  expect(undeclared.toSorted()).toEqual([
    'HEADERS_TOO_LARGE',
    'HTTP_INVALID',
    'METHOD_NOT_ALLOWED',
    'OPERATION_NOT_SERVED',
    'PATH_UNKNOWN',
    'REQUEST_TIMEOUT',
  ])
})
