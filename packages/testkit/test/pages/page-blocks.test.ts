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
