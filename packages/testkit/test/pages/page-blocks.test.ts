import { expect, test } from 'vitest'
import { files, read } from '../tree.ts'
import { readBlocks } from './page-blocks.ts'

test('only marked commands are run, under their heading and on their machine', () => {
  const page = [
    '# Page',
    '```sh\nnever\n```',
    '## First',
    '<!-- run on skein1 -->\n\n```sh\nfirst\nsecond\n```',
    '<!-- run on the build machine -->\n\n```sh\nthird\n```',
  ].join('\n\n')
  expect(readBlocks(page)).toEqual([
    { heading: 'First', machine: 'skein1', commands: 'first\nsecond' },
    { heading: 'First', machine: 'build machine', commands: 'third' },
  ])
})

test('a mark without commands is an error, not a page without a test', () => {
  expect(() => readBlocks('<!-- run on skein1 -->\n\nText\n\n```sh\ntrue\n```')).toThrow('line 1')
})

/** By two-machines.nightly.test.ts. */
const TESTED = ['docs/deploy/backup.md', 'docs/deploy/two-machines.md']

test('every page with marked commands is one that a test runs', async () => {
  const marked: string[] = []
  for (const path of await files('docs/**/*.md')) {
    if (readBlocks(await read(path)).length > 0) marked.push(path)
  }
  expect(marked.sort()).toEqual(TESTED)
})
