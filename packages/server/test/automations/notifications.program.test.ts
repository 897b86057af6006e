import { waitFor } from '@skein/testkit'
import { afterEach, expect, test } from 'vitest'
import { createRunnerKey, Fleet, prepareTenant } from '../follow-ups/agents-fleet.ts'
import { send, writeDocument } from '../process/http.ts'
import { endProcesses, startServer } from '../process/skein-process.ts'
import { MessageReceiver } from './message-receiver.ts'

afterEach(endProcesses)

test('a server killed after it sent a message and before it recorded that: the next sends the same once more', async () => {
  const { database, key } = await prepareTenant()
  const settings = { SKEIN_DATABASE_URL: database.serverUrl, SKEIN_OUTBOUND_ALLOW: '127.0.0.1' }
  const first = await startServer(settings)
  const chat = await MessageReceiver.start()
  chat.answer = (count) => {
    if (count > 1) return 200
    // It has arrived, and nobody will ever hear that it has.
    first.process.signal('SIGKILL')
    return new Promise(() => undefined)
  }
  await writeDocument(first.url, key, 'integration/chat', { type: 'slack', url: chat.url, groupSeconds: 1 })
  const runnerKey = await createRunnerKey(first.url, key, 'robot')
  const fleet = new Fleet(first.url, key)
  const ask = async (agent: string): Promise<void> => {
    const runner = (operation: string, body: object) =>
      send(`${fleet.url}/v1/runner/${operation}`, { method: 'POST', key: runnerKey, body })
    expect(await fleet.command('spawn', agent, { description: 'Work.' })).toMatchObject({ status: 200 })
    const { body } = await runner('poll', { capacity: 1, waitMs: 5_000 })
    const [run] = body['runs'] as { lease: string }[]
    await runner('complete', { lease: run?.lease, outcome: { reason: 'asked', needsInput: `${agent}?` } })
  }
  await ask('one')
  await first.process.ended
  const second = await startServer(settings)
  fleet.url = second.url
  await ask('two')
  await waitFor(() => chat.received.length >= 3, { what: 'all messages', timeoutMs: 60_000 })
  const texts = chat.received.map(({ body }) => body)
  expect(texts[1]).toBe(texts[0])
  expect(texts.map((text) => [text.includes('one?'), text.includes('two?')])).toEqual([
    [true, false],
    [true, false],
    [false, true],
  ])
  const { body } = await waitFor(
    async () => {
      const answer = await send(`${second.url}/v1/integration/chat/deliveries`, { key })
      return (answer.body['deliveries'] as unknown[]).length === 2 && answer
    },
    { what: 'the log' },
  )
  const deliveries = body['deliveries'] as { agentId: { agent: string[] }; attempt: number }[]
  expect(deliveries.map(({ agentId, attempt }) => [agentId.agent[0], attempt])).toEqual([
    ['two', 1],
    ['one', 1],
  ])
  await chat.close()
})
