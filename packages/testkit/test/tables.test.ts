import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import { files, read, root } from './tree.ts'

/** What the first column of a section's table says in code, up to the next heading. */
async function firstColumn(page: string, heading: string): Promise<string[]> {
  const [, rest = ''] = (await read(page)).split(`\n${heading}\n`)
  const [section = ''] = rest.split(/\n#+ /)
  return [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, code = '']) => code)
}

async function packageNames(): Promise<string[]> {
  return (await files('packages/*/package.json')).map((path) => path.split('/')[1] ?? '').toSorted()
}

async function scripts(): Promise<string[]> {
  const manifest = JSON.parse(await read('package.json')) as { scripts: Record<string, string> }
  return Object.keys(manifest.scripts)
}

function directionRules(): string[] {
  const { forbidden } = createRequire(import.meta.url)(`${root}.dependency-cruiser.cjs`) as {
    forbidden: { name: string }[]
  }
  return forbidden.map(({ name }) => name)
}

describe('the table of the README', () => {
  test('names every package, and no other', async () => {
    const rows = await firstColumn('README.md', '## Repository')
    const named = rows.filter((row) => row.startsWith('packages/')).map((row) => row.slice(9))
    expect(named.toSorted()).toEqual(await packageNames())
  })

  test('names only what is there', async () => {
    const rows = await firstColumn('README.md', '## Repository')
    expect(rows.length).toBeGreaterThan(10)
    expect(rows.filter((row) => !existsSync(`${root}${row}`))).toEqual([])
  })

  test('names every folder that holds code', async () => {
    const rows = await firstColumn('README.md', '## Repository')
    const folders = new Set((await files('*/**/*.ts')).map((path) => `${path.split('/')[0]}/`))
    expect([...folders].filter((folder) => folder !== 'packages/' && !rows.includes(folder))).toEqual([])
  })
})

describe('the tables of CONTRIBUTING', () => {
  /** Parts of `verify`, which the text names, and scripts npm calls itself. */
  const named = /^(check:(?!advisories)|prepare$|verify$)/

  test('name every command, and no other', async () => {
    const rows = await firstColumn('CONTRIBUTING.md', '## Set-up')
    const commands = rows.map((row) => row.replace(/^npm (run )?/, '').replace(/ .*/, ''))
    const expected = (await scripts()).filter((name) => !named.test(name))
    expect(commands.toSorted()).toEqual(expected.toSorted())
  })

  test('the text names every part of verify', async () => {
    const page = await read('CONTRIBUTING.md')
    const parts = (await scripts()).filter((name) => /^check:(?!advisories)/.test(name))
    expect(parts.length).toBeGreaterThan(5)
    expect(parts.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })

  test('name nightly tests that exist, and all of them', async () => {
    const [, rest = ''] = (await read('CONTRIBUTING.md')).split('\n### At night\n')
    const [section = ''] = rest.split('\n## ')
    const rows = section.split('\n').filter((line) => line.startsWith('| ') && line.includes('`'))
    const filters = rows.flatMap((row) =>
      [...(row.split('|')[2] ?? '').matchAll(/`([^`]+)`/g)].map(([, filter = '']) => filter),
    )
    const nightly = (await files('packages/*/test/**/*.nightly.test.ts')).map((path) => `/${path}`)
    expect(filters.filter((filter) => !nightly.some((path) => path.includes(filter)))).toEqual([])
    expect(nightly.filter((path) => !filters.some((filter) => path.includes(filter)))).toEqual([])
  })

  test('name layers that exist', async () => {
    const rows = await firstColumn('CONTRIBUTING.md', '### One operation, read downwards')
    expect(rows.length).toBe(5)
    expect(rows.filter((row) => !existsSync(`${root}packages/${row}`))).toEqual([])
  })

  test('the picture of the layout names every package', async () => {
    const [, picture = ''] = (await read('CONTRIBUTING.md')).split('## Layout\n')[1]?.split('```') ?? []
    const words = new Set(picture.match(/[a-z-]+/g))
    expect((await packageNames()).filter((name) => !words.has(name))).toEqual([])
  })
})

test('every package has its rule of direction', async () => {
  const ruled = directionRules().flatMap((rule) => /^direction-(.+)$/.exec(rule)?.[1] ?? [])
  expect(ruled.toSorted()).toEqual(await packageNames())
})

test.each(['core', 'store', 'engine', 'server', 'runner', 'dashboard'])(
  'every folder of %s has its rule of direction',
  async (name) => {
    const paths = await files(`packages/${name}/src/*/**/*.{ts,tsx}`)
    const folders = new Set(paths.map((path) => path.split('/')[3] ?? ''))
    const prefix = `folder-${name}-`
    const ruled = directionRules().filter((rule) => rule.startsWith(prefix))
    expect(ruled.map((rule) => rule.slice(prefix.length)).toSorted()).toEqual([...folders].toSorted())
  },
)

test('AGENTS.md names every suffix that chooses a suite', async () => {
  const page = await read('AGENTS.md')
  const suffixes = new Set(
    (await files('packages/*/test/**/*.test.ts')).map((path) => /(\.[a-z]+)?\.test\.ts$/.exec(path)?.[0]),
  )
  expect(suffixes.size).toBeGreaterThan(3)
  expect([...suffixes].filter((suffix) => !page.includes(`\`${suffix}\``))).toEqual([])
})
