import { expect, test } from 'vitest'
import { files, read } from '../tree.ts'
import { readBlocks } from './page-blocks.ts'

test('only marked commands are run, under their heading and on their machines', () => {
  const page = [
    '# Page',
    '```sh\nnever\n```',
    '## First',
    '<!-- run on skein1 -->\n\n```sh\nfirst\nsecond\n```',
    '<!-- run on the build machine -->\n\n```sh\nthird\n```',
    '<!-- run on pg1, pg2 and witness -->\n\n```sh\nfourth\n```',
  ].join('\n\n')
  expect(readBlocks(page)).toEqual([
    { heading: 'First', machines: ['skein1'], commands: 'first\nsecond' },
    { heading: 'First', machines: ['build machine'], commands: 'third' },
    { heading: 'First', machines: ['pg1', 'pg2', 'witness'], commands: 'fourth' },
  ])
})

test('a mark without commands is an error, not a page without a test', () => {
  expect(() => readBlocks('<!-- run on skein1 -->\n\nText\n\n```sh\ntrue\n```')).toThrow('line 1')
})

const TESTED: Readonly<Record<string, string>> = {
  'docs/deploy/backup.md': 'two-machines.nightly.test.ts',
  'docs/deploy/patroni.md': 'patroni.nightly.test.ts',
  'docs/deploy/pgbouncer.md': 'one-machine.nightly.test.ts',
  'docs/deploy/systemd.md': 'one-machine.nightly.test.ts',
  'docs/deploy/two-machines.md': 'two-machines.nightly.test.ts',
  'docs/deploy/upgrade.md': 'one-machine.nightly.test.ts',
  'docs/operations.md': 'operations.nightly.test.ts',
}

/** Commands that are run otherwise: each page says by what. All others of these pages are marked. */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  'docs/deploy/compose.md': ['deploy/compose/up'],
  'docs/deploy/images.md': ['npm run images', 'npm run test:images'],
  'docs/deploy/kubernetes.md': ['buildah push', 'export SKEIN_KUBERNETES_DIR'],
  'docs/operations.md': ['npm run drill'],
}

test('every page with marked commands is one that a test runs', async () => {
  const marked: string[] = []
  for (const path of await files('docs/**/*.md')) {
    if (readBlocks(await read(path)).length > 0) marked.push(path)
  }
  expect(marked.sort()).toEqual(Object.keys(TESTED))
})

test.each(Object.entries(TESTED))('%s names its test %s, which runs it', async (page, name) => {
  expect(await read(`packages/testkit/test/pages/${name}`)).toContain(`'${page}'`)
  expect(await read(page)).toContain(name)
})

test('every command of a page for operators is run by a test, in CI or at night, as the page says', async () => {
  const faults: string[] = []
  for (const path of [...(await files('docs/deploy/*.md')), 'docs/operations.md']) {
    const page = await read(path)
    const marked = new Set(readBlocks(page).map(({ commands }) => commands))
    const blocks = [...page.matchAll(/^( *)```sh\n(.*?)\n *```$/gms)].map(([, indent = '', text = '']) =>
      text.slice(indent.length),
    )
    const allowed = OTHERWISE[path] ?? []
    const untested = blocks
      .filter((block) => !marked.has(block))
      .filter((block) => !allowed.some((start) => block.startsWith(start)))
    faults.push(...untested.map((block) => `${path}: ${block}`))
    const hasCommands = blocks.length > 0 || page.includes('```sh run=')
    const [, tested = ''] = page.split('\n## What is tested\n')
    if (hasCommands && !/\bat night\b|\bCI\b/i.test(tested)) faults.push(`${path}: CI or at night?`)
  }
  expect(faults).toEqual([])
})
