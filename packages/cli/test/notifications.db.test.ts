import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { waitFor } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCliWorld, type CliWorld } from './cli-world.ts'

const GUIDE = new URL('../../../docs/guides/slack-notifications.md', import.meta.url)
const FILES = ['slack-url.yaml', 'team-chat.yaml', 'night-watch.yaml']

let world: CliWorld
let channel: Server
let stop: () => Promise<void>
let guide: string
const messages: string[] = []

/** Does what the guide says, with its own documents; only the channel is one of ours. */
beforeAll(async () => {
  world = await startCliWorld({ settings: { SKEIN_OUTBOUND_ALLOW: '127.0.0.1' } })
  stop = world.server.startAutomations()
  channel = createServer((request, response) => {
    void text(request).then((body) => {
      messages.push((JSON.parse(body) as { text: string }).text)
      response.end('ok')
    })
  }).listen(0, '127.0.0.1')
  await once(channel, 'listening')
  guide = await readFile(GUIDE, 'utf8')
  const documents = [...guide.matchAll(/```yaml\n(.*?)```/gs)].map(([, document = '']) => document)
  if (documents.length !== FILES.length) throw new Error('The guide has other documents')
  const ours = `http://127.0.0.1:${(channel.address() as AddressInfo).port}/services/T000/B000/XXXX`
  for (const [index, file] of FILES.entries()) {
    const document = (documents[index] ?? '').replace(/https:\/\/hooks\.slack\.com\S*/, ours)
    await writeFile(join(world.folder, file), document)
  }
})

afterAll(async () => {
  await stop()
  await world.close()
  channel.closeAllConnections()
  channel.close()
})

/** The commands of a part of the guide, each run as it is written there. */
async function follow(section: string): Promise<string[]> {
  const part = guide.split(/^## /m).find((each) => each.startsWith(section)) ?? ''
  const commands = [...part.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  )
  const outputs: string[] = []
  for (const command of commands) {
    const { stdout, stderr, exitCode } = await world.skein(command.split(' ').slice(1))
    expect([command, exitCode, stderr]).toEqual([command, 0, stderr])
    outputs.push(stdout)
  }
  return outputs
}

test('the channel is connected and gets a test message', async () => {
  const [applied = '', tested = ''] = await follow('2. Connect the channel')
  expect(applied).toContain('team-chat')
  expect(applied).not.toContain('whsec_')
  expect(tested).toMatch(/^Delivered: status 200 after \d+ ms\.$/m)
  expect(messages.splice(0)).toHaveLength(1)
})

test('an agent that has finished is told, in the group of its minute', async () => {
  await world.skein(['spawn', '--workspace', 'shop', '--name', 'done', 'Work.', '--auto-complete', '--wait'])
  const { database } = world.server
  const { Client } = await import('pg')
  const client = new Client({ connectionString: database.ownerUrl })
  await client.connect()
  await waitFor(async () => (await client.query('select from lane')).rowCount === 1, { what: 'the lane' })
  expect(messages).toEqual([])
  await client.query('update lane set due_at = now()')
  await client.query('update endpoint set due_at = now()')
  await client.end()
  await waitFor(() => messages.length === 1, { what: 'the message' })
  expect(messages[0]).toContain('|shop/done> has finished')
})

test('the list, the details and the log show it, but not the URL', async () => {
  const [listed = '', shown = '', log = ''] = await waitFor(
    async () => {
      const outputs = await follow('When nothing arrives')
      return outputs[2]?.includes('agent.phase-changed') === true && outputs
    },
    { what: 'the log' },
  )
  expect(listed).toMatch(/^team-chat +slack +active .* \(secret\)$/m)
  expect(shown).toMatch(/^Type +slack$/m)
  expect(log).toMatch(/agent\.phase-changed +shop\/done #\d+ +1 +200/)
  expect(listed + shown + log).not.toContain('services/')
})

test('e-mail is refused in words as long as the operator has not set it up', async () => {
  expect((await world.skein(['apply', '-f', 'night-watch.yaml'])).exitCode).toBe(0)
  expect((await world.skein(['webhooks', 'list'])).stdout).toMatch(
    /^night-watch +email +active .* oncall@example\.com$/m,
  )
  const { stdout, exitCode } = await world.skein(['webhooks', 'test', 'night-watch'])
  expect(stdout).toContain('Not delivered: This installation sends no e-mail.')
  expect(exitCode).toBe(1)
})
