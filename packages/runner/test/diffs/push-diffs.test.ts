import { setTimeout as pause } from 'node:timers/promises'
import type { Transport } from '@skein/client'
import { beforeEach, expect, test } from 'vitest'
import { PushDiffs, type PushDiff } from '../../src/diffs/push-diffs.ts'
import type { Push } from '../../src/git-front/git-front.ts'

const push = (commit: string): Push => ({
  repo: 'shop',
  url: 'https://git.example.com/shop',
  ref: 'refs/heads/skein/fix',
  before: '',
  commit,
  files: [],
})

let halted: AbortController
let sent: string[]
let problems: unknown[]
let diffs: PushDiffs

beforeEach(() => {
  halted = new AbortController()
  sent = []
  problems = []
  const transport = {
    async call(_operation: unknown, { body }: { body: { commit: string } }) {
      sent.push(body.commit)
    },
  } as unknown as Transport
  diffs = new PushDiffs(transport, {
    lease: 'l',
    signal: halted.signal,
    onProblem: (error) => problems.push(error),
    spacingMs: 300,
  })
})

const read = async ({ commit }: Push) => [{ commit } as PushDiff]

test('however fast an agent pushes, its diffs are computed every few seconds', async () => {
  diffs.add(push('c0'), read)
  for (let count = 1; count <= 100; count += 1) {
    await pause(1)
    diffs.add(push(`c${count}`), read)
  }
  await expect.poll(() => sent.at(-1)).toBe('c100')
  expect(sent.length).toBeLessThanOrEqual(4)
})

test('the last push is sent without a pause when the run ends', async () => {
  diffs.add(push('c1'), read)
  await expect.poll(() => sent).toEqual(['c1'])
  diffs.add(push('c2'), read)
  await diffs.settle()
  expect(sent).toEqual(['c1', 'c2'])
})

test('a run that must end at once does not wait for git, nor report a problem', async () => {
  diffs.add(push('c1'), () => new Promise(() => undefined))
  const settled = diffs.settle()
  halted.abort()
  await expect(settled).resolves.toBeUndefined()
  expect(problems).toEqual([])
})
