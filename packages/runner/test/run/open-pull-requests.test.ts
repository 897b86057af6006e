import type { Transport } from '@skein/client'
import type { Assignment } from '@skein/contract'
import { expect, test } from 'vitest'
import { OpenPullRequests } from '../../src/run/open-pull-requests.ts'
import type { AgentWorkspace } from '../../src/workspace/agent-workspace.ts'

/** The message of each commit is its name. */
const WORKSPACE = {
  names: { branch: 'skein/fix' },
  messageOf: async (_repo: string, commit: string) => commit,
  standing: async () => ({
    isOnCodeHost: true,
    isPushed: true,
    base: 'main',
    url: 'https://git.example.com/a',
  }),
} as unknown as AgentWorkspace

const ASSIGNMENT = { draftAtPush: true, lease: 'l' } as unknown as Assignment

test('while a draft is being opened, only the last of further pushes waits', async () => {
  const titles: string[] = []
  const first = Promise.withResolvers<never>()
  const transport = {
    async call(_operation: unknown, { body }: { body: { title: string } }) {
      titles.push(body.title)
      return titles.length === 1 ? first.promise : { draft: true }
    },
  } as unknown as Transport
  const pullRequests = new OpenPullRequests(transport, ASSIGNMENT, WORKSPACE)
  pullRequests.notePush({ repo: 'a', commit: 'c1' })
  await expect.poll(() => titles).toEqual(['c1'])
  for (const commit of ['c2', 'c3', 'c4']) pullRequests.notePush({ repo: 'a', commit })
  first.reject(new Error('The code host does not answer'))
  await pullRequests.idle(new AbortController().signal)
  expect(titles).toEqual(['c1', 'c4'])
  // It is open now.
  pullRequests.notePush({ repo: 'a', commit: 'c5' })
  await pullRequests.idle(new AbortController().signal)
  expect(titles).toEqual(['c1', 'c4'])
})

test('a run that must end at once does not wait for a draft', async () => {
  const transport = { call: () => new Promise<never>(() => undefined) } as unknown as Transport
  const pullRequests = new OpenPullRequests(transport, ASSIGNMENT, WORKSPACE)
  pullRequests.notePush({ repo: 'a', commit: 'c1' })
  await expect(pullRequests.idle(AbortSignal.abort())).resolves.toBeUndefined()
})
