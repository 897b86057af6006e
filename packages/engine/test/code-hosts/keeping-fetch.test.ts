import { expect, test } from 'vitest'
import { HoldLost, keepingFetch } from '../../src/code-hosts/reviews/keeping-fetch.ts'

function urlOf(input: string | URL | Request): string {
  return input instanceof Request ? input.url : input.toString()
}

function setUp(isHeld: () => boolean) {
  const sent: string[] = []
  let now = 0
  const fetch = keepingFetch(
    async (input, init) => {
      sent.push(`${init?.method ?? 'GET'} ${urlOf(input)}`)
      return new Response()
    },
    async () => isHeld(),
    () => now,
  )
  return { sent, fetch, wait: (ms: number) => (now += ms) }
}

test('a server that was overtaken changes nothing on the host', async () => {
  const { sent, fetch } = setUp(() => false)
  await fetch('http://host.test/a')
  await expect(fetch('http://host.test/a', { method: 'POST' })).rejects.toThrow(HoldLost)
  expect(sent).toEqual(['GET http://host.test/a'])
})

test('a server that reads for long finds out that it was overtaken', async () => {
  let isHeld = true
  const { sent, fetch, wait } = setUp(() => isHeld)
  wait(30_000)
  await fetch('http://host.test/a')
  isHeld = false
  await fetch('http://host.test/b')
  wait(30_000)
  await expect(fetch('http://host.test/c')).rejects.toThrow(HoldLost)
  expect(sent).toHaveLength(2)
})
