import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { findInlineScript } from '../src/script/inline-script.ts'
import { parseScript } from '../src/script/parse-script.ts'

const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')

function refusalOf(yaml: string): string {
  try {
    parseScript(yaml, 'x')
    return ''
  } catch (error) {
    return String(error)
  }
}

test('the scripts in the README are scripts', () => {
  expect(findInlineScript(readme)?.steps).toHaveLength(7)
  const [, file = ''] = /^```yaml\n([^]*?)^```$/m.exec(readme) ?? []
  expect(parseScript(file, 'README')).toMatchObject({ name: 'review', when: /\breview\b/iu })
})

test('the README names every key that a step may have, and no other', () => {
  const [, allowed = ''] = /allowed are (.*)$/m.exec(refusalOf('- unknown: 1')) ?? []
  const keys = [...allowed.matchAll(/"(\w+)"/g)].map(([, key]) => key)
  const rows = readme.split('\n').filter((line) => line.startsWith('| `'))
  const named = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, key]) => key),
  )
  const alsoNamed = ['message', 'code', 'inStream'].filter((key) =>
    rows.some((row) => row.includes(`\`${key}\``)),
  )
  expect(new Set([...named, ...alsoNamed])).toEqual(new Set(keys))
})
