import { expect, test } from 'vitest'
import { HoldLost, keepingFetch } from '../../src/code-hosts/reviews/keeping-fetch.ts'

function urlOf(input: string | URL | Request): string {
  return input instanceof Request ? input.url : input.toString()
}

function setUp(isHeld: () => boolean, answerBytes = 0) {
  const sent: string[] = []
  let now = 0
  const fetch = keepingFetch(
    async (input, init) => {
      sent.push(`${init?.method ?? 'GET'} ${urlOf(input)}`)
      return new Response(null, { headers: { 'content-length': String(answerBytes) } })
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

test('a host that answers slowly, request after request, is left for later', async () => {
  const { sent, fetch, wait } = setUp(() => true)
  const readAll = async () => {
    for (;;) {
      await fetch('http://host.test/a')
      wait(9_000)
    }
  }
  await expect(readAll()).rejects.toMatchObject({ message: 'The code host is too slow.', isFinal: false })
  expect(sent.length).toBeLessThan(40)
})

test('a host whose answers are large, one after the other, is left for later', async () => {
  const { sent, fetch } = setUp(() => true, 4 * 1024 * 1024)
  const readAll = async () => {
    for (;;) await fetch('http://host.test/a')
  }
  await expect(readAll()).rejects.toMatchObject({
    message: 'The responses of the code host are too large.',
    isFinal: false,
  })
  expect(sent).toHaveLength(7)
})
