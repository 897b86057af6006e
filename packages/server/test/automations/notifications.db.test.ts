import type { Delivery } from '@skein/contract'
import { waitFor } from '@skein/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startAutomations } from '../../src/automations/start-automations.ts'
import { AgentWorld, must } from '../agents/agent-world.ts'
import { MessageReceiver } from './message-receiver.ts'

let world: AgentWorld
let chat: MessageReceiver
let stop: () => Promise<void>

beforeEach(async () => {
  const settings = { SKEIN_OUTBOUND_ALLOW: '127.0.0.1', SKEIN_PUBLIC_URL: 'https://skein.example.com' }
  world = await AgentWorld.start({ settings })
  chat = await MessageReceiver.start()
  stop = startAutomations(world.server.engine, world.server.config, world.server.app.log)
})

afterEach(async () => {
  await stop()
  await world.close()
  await chat.close()
})

const PAGE = 'https://skein.example.com/agents/codehost_oauth/ada'

async function integrate(fields: Record<string, unknown> = {}, name = 'chat'): Promise<void> {
  must(
    await world.admin.write('integration', name, {
      type: 'slack',
      url: chat.url,
      groupSeconds: 0,
      ...fields,
    }),
  )
}

const arrived = (amount: number) =>
  waitFor(() => chat.received.length >= amount, { what: `${amount} messages` })

const textOf = (index = 0) => (JSON.parse(chat.received[index]?.body ?? '{}') as { text: string }).text

/** Everything that was read is sent, and nothing is on its way. */
const settled = () =>
  waitFor(
    async () =>
      (await world.sql('select from outbox o, outbox_reader r where (o.xid, o.id) > (r.xid, r.id)'))
        .length === 0 && (await world.sql('select from lane')).length === 0,
    // Transactions of other test files hold the outbox's horizon back.
    { what: 'everything to be sent', timeoutMs: 50_000 },
  )

async function ask(name: string, needsInput = 'Which?', fields: Record<string, unknown> = {}): Promise<void> {
  const { run } = await world.running(name, fields)
  await world.complete(run, { reason: 'asked', needsInput })
}

/** A lane that fails, or waits for its group, is due now. */
const hurry = async () => {
  await world.sql('update lane set due_at = now()')
  await world.sql(`update endpoint set due_at = now() where due_at < 'infinity'`)
}

async function log(name = 'chat'): Promise<Delivery[]> {
  return must(await world.admin.get(`/v1/integration/${name}/deliveries`)).body['deliveries'] as Delivery[]
}

const namesIn = (deliveries: readonly Delivery[]) =>
  deliveries.map(({ agentId }) => agentId?.agent.join('/') ?? '').toSorted()

describe('people are told', () => {
  test('in Slack’s format when an agent asks, has finished or failed, with a link to it', async () => {
    await integrate()
    await ask('asks', 'Which <!channel> currency?')
    await arrived(1)
    expect(textOf(0)).toMatch(
      new RegExp(`^<${PAGE}/[a-z-]+/asks\\|[a-z-]+/asks> asks: Which &lt;!channel&gt; currency\\?$`),
    )
    const done = await world.running('done')
    await world.complete(done.run, { reason: 'finished', message: 'Pushed a branch.' })
    await arrived(2)
    expect(textOf(1)).toMatch(/done> has finished: Pushed a branch\.$/)
    const failed = await world.running('failed')
    await world.complete(failed.run, {
      reason: 'failed',
      error: { code: 'no-model', message: 'There is no such model.', isRetryable: false },
    })
    await arrived(3)
    expect(textOf(2)).toMatch(/failed> has failed: There is no such model\.$/)
    await settled()
    expect(chat.received).toHaveLength(3)
    expect(chat.received[0]?.headers).not.toHaveProperty('webhook-signature')
  })

  test.each([
    ['teams', ({ body }: { body: string }) => JSON.parse(body) as unknown, { type: 'message' }],
    [
      'discord',
      ({ body }: { body: string }) => JSON.parse(body) as unknown,
      { allowed_mentions: { parse: [] } },
    ],
    ['ntfy', ({ headers }: { headers: object }) => headers, { 'content-type': 'text/plain; charset=utf-8' }],
  ])('in the format of %s', async (type, read, expected) => {
    await integrate({ type })
    await ask('asks', 'Which currency?')
    await arrived(1)
    const [message] = chat.received
    expect(message && read(message)).toMatchObject(expected)
    expect(message?.body).toContain(`${PAGE}/`)
    expect(message?.body).toContain('Which currency')
  })

  test('when a budget is at 80 and at 100 %, once each', async () => {
    await integrate({ notify: ['budget'] })
    const { agentId, run } = await world.running('spender', { maxCost: 1 })
    const child = await world.running(['spender', 'child'])
    const spend = (lease: typeof run, cost: number) =>
      world.beat(lease, { usage: { cost, inputTokens: '1', cachedInputTokens: '0', outputTokens: '1' } })
    for (const cost of [0.5, 0.29]) await spend(run, cost)
    expect(await world.events(agentId, 'agent.budget-reached')).toEqual([])
    for (const cost of [0.01, 0.01, 0.01]) await spend(child.run, cost)
    await arrived(1)
    expect(textOf(0)).toMatch(/spender> has spent 80 % of its budget$/)
    for (const cost of [0.3, 0.3]) await spend(run, cost)
    await arrived(2)
    expect(textOf(1)).toMatch(/spender> has used up its budget$/)
    await settled()
    expect(await world.events(agentId, 'agent.budget-reached')).toMatchObject([
      { percent: 80, maxCost: 1, spent: 0.8 },
      { percent: 100, maxCost: 1 },
    ])
    expect(chat.received).toHaveLength(2)
    // A new budget starts over.
    must(await world.admin.post('/v1/agent/budget', { agentId, maxCost: 2 }))
    await spend(run, 0.3)
    await arrived(3)
    expect(textOf(2)).toMatch(/80 %/)
  })

  test('only about what their integration is for', async () => {
    must(await world.admin.write('workspace', 'shop', {}))
    must(await world.admin.write('workspace', 'bank', {}))
    await integrate({ workspaces: ['shop'], notify: ['question'] })
    await integrate({ account: 'somebody-else' }, 'theirs')
    await ask('elsewhere', 'No?', { agentId: { workspace: 'bank' } })
    const { run } = await world.running('done', { agentId: { workspace: 'shop' } })
    await world.complete(run, { reason: 'finished' })
    await ask('here', 'Yes?', { agentId: { workspace: 'shop' } })
    await arrived(1)
    await settled()
    expect(chat.received).toHaveLength(1)
    expect(textOf()).toContain('shop/here> asks: Yes?')
  })

  test('about children only if they want to be', async () => {
    await integrate({ notify: ['finished'] })
    await integrate({ notify: ['finished'], children: true }, 'all')
    await world.running('parent')
    const { run } = await world.running(['parent', 'child'])
    await world.complete(run, { reason: 'finished' })
    await arrived(1)
    await settled()
    expect((await log()).length).toBe(0)
    expect((await log('all')).length).toBe(1)
  })

  test('at a URL that only a secret knows', async () => {
    must(await world.admin.write('secret', 'chat-url', { value: `${chat.url}\n` }))
    await integrate({ url: '', urlSecret: 'chat-url' })
    await ask('asks')
    await arrived(1)
    const answer = must(await world.admin.get('/v1/integrations'))
    expect(answer.body).toMatchObject({ integrations: [{ name: 'chat', type: 'slack', url: '' }] })
    expect(answer.text).not.toContain('/services/')
    must(await world.admin.write('secret', 'chat-url', { value: 'not a url' }))
    const tested = must(await world.admin.post('/v1/integration/chat/test', {}))
    expect(tested.body).toMatchObject({
      isDelivered: false,
      error: 'The URL in the secret chat-url is not a URL.',
    })
  })
})

describe('a group', () => {
  test('is one message, and the log shows each event that was in it', async () => {
    await integrate({ groupSeconds: 60 })
    for (const name of ['a', 'b', 'c']) await ask(name)
    const waits = `select extract(epoch from due_at - waiting_since)::int as wait from lane order by due_at`
    await waitFor(async () => (await world.sql(waits)).length === 3, { what: 'three lanes' })
    expect((await world.sql(waits))[0]).toEqual({ wait: 60 })
    expect(chat.received).toEqual([])
    // The minute of the first is over: the others go with it.
    await world.sql(`update lane set due_at = now() where due_at = (select min(due_at) from lane)`)
    await world.sql(`update endpoint set due_at = now()`)
    await arrived(1)
    await settled()
    expect(chat.received).toHaveLength(1)
    expect(textOf().split('\n')).toHaveLength(3)
    const deliveries = await log()
    expect(namesIn(deliveries)).toEqual(['a', 'b', 'c'])
    expect(new Set(deliveries.map(({ messageId }) => messageId)).size).toBe(1)
    expect(deliveries[0]?.messageId).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('that fails is sent again as it was; what happened meanwhile is another message', async () => {
    await integrate()
    chat.answer = (count) => (count === 1 ? 500 : 200)
    await ask('a', 'First?')
    await waitFor(async () => (await world.sql('select from lane where attempts = 1')).length === 1, {
      what: 'the failure',
    })
    await ask('b', 'Second?')
    await arrived(2)
    await hurry()
    await arrived(3)
    await settled()
    expect(chat.received.map(({ body }) => body.includes('First?'))).toEqual([true, false, true])
    expect(chat.received[2]?.body).toBe(chat.received[0]?.body)
    const ids = (await log()).map(({ messageId, attempt, error }) => [messageId, attempt, error === ''])
    expect(new Set(ids.map(([id]) => id)).size).toBe(2)
  })

  test('whose answer was lost is sent again with the same events, and no others', async () => {
    await integrate()
    const { promise: held, resolve: finish } = Promise.withResolvers<number>()
    chat.answer = (count) => (count === 1 ? held : 200)
    await ask('a', 'First?')
    await arrived(1)
    await ask('b', 'Second?')
    // The holder is as good as dead: another server takes over.
    await world.sql(`update endpoint set token = token + 1, held_until = '-infinity', due_at = now()`)
    await arrived(3)
    finish(200)
    await settled()
    expect(chat.received[1]?.body).toBe(chat.received[0]?.body)
    expect(chat.received.map(({ body }) => body.includes('Second?'))).toEqual([false, false, true])
    const deliveries = await log()
    expect(namesIn(deliveries)).toEqual(['a', 'b'])
  })

  test('of several agents says the same when it is sent again', async () => {
    await integrate({ groupSeconds: 3600 })
    chat.answer = (count) => (count === 1 ? 500 : 200)
    const running = []
    for (const name of ['a', 'b', 'c', 'd']) running.push(await world.running(name))
    for (const { run } of running.toReversed()) {
      await world.complete(run, { reason: 'asked', needsInput: 'Which?' })
    }
    await waitFor(async () => (await world.sql('select from lane')).length === 4, { what: 'the lanes' })
    await world.sql(`update lane set due_at = due_at - interval '2 hours'`)
    await world.sql('update endpoint set due_at = now()')
    await waitFor(async () => (await world.sql('select from lane where attempts = 1')).length === 4, {
      what: 'the failure',
    })
    await hurry()
    await settled()
    expect(chat.received).toHaveLength(2)
    expect(chat.received[1]?.body).toBe(chat.received[0]?.body)
  })

  test('of a hundred agents is a message of what fits, and everything is in the log', async () => {
    await integrate({ groupSeconds: 3600 })
    for (let index = 0; index < 40; index++) await ask(`a-${index}`)
    await waitFor(async () => (await world.sql('select from lane')).length === 40, { what: 'the lanes' })
    await hurry()
    await arrived(1)
    await settled()
    expect(chat.received).toHaveLength(1)
    expect(textOf().split('\n').at(-1)).toBe('And 20 questions: <https://skein.example.com|Skein>')
    expect(
      await world.sql('select count(distinct agent_id)::int as agents, count(*)::int as rows from delivery'),
    ).toEqual([{ agents: 40, rows: 40 }])
  })

  test('that cannot be sent for three days becomes dead letters, which can be replayed', async () => {
    await integrate()
    chat.answer = () => 500
    await ask('a')
    await waitFor(async () => (await world.sql('select from lane where attempts = 1')).length === 1, {
      what: 'the failure',
    })
    await world.sql(`update lane set waiting_since = now() - interval '4 days', due_at = now()`)
    await world.sql(`update endpoint set due_at = now()`)
    await waitFor(async () => (await world.sql('select from dead_letter')).length === 1, {
      what: 'the dead letter',
    })
    chat.answer = () => 200
    must(await world.admin.post('/v1/integration/chat/replay', { deadLetters: true }))
    await arrived(2)
    await settled()
    expect(chat.received[1]?.body).toBe(chat.received[0]?.body)
  })
})

describe('an integration that was disabled', () => {
  test('is told to its owner by another one', async () => {
    const gone = await MessageReceiver.start()
    gone.answer = () => 410
    await integrate({ url: gone.url, type: 'webhook', groupSeconds: 60, events: ['agent.spawned'] }, 'gone')
    await integrate({ notify: ['integration-disabled'], account: 'ada' })
    await integrate({ notify: ['integration-disabled'], account: 'bob' }, 'bobs')
    await world.spawn('a')
    await arrived(1)
    await settled()
    expect(chat.received).toHaveLength(1)
    expect(textOf()).toContain(
      '/catalog/integration/gone|Integration gone> was disabled: nothing is sent to it any more: The receiver answered with status 410.',
    )
    expect(await log()).toMatchObject([{ type: 'integration.disabled' }])
    await gone.close()
  })

  test('is an event that webhooks get too', async () => {
    const gone = await MessageReceiver.start()
    gone.answer = () => 410
    await integrate({ url: gone.url }, 'gone')
    await integrate({ type: 'webhook', events: ['integration.*'] }, 'hook')
    await ask('a')
    await arrived(1)
    expect(JSON.parse(chat.received[0]?.body ?? '')).toMatchObject({
      type: 'integration.disabled',
      data: {
        integration: 'gone',
        because: 'The receiver answered with status 410.',
        owner: 'ada',
        sequence: '1',
      },
    })
    await gone.close()
  })

  test('does not go on for ever if all of them are', async () => {
    chat.answer = () => 410
    for (const name of ['a', 'b', 'c']) await integrate({}, name)
    await ask('x')
    await waitFor(
      async () => (await world.sql('select from endpoint where disabled_at is not null')).length === 3,
      { what: 'all of them to be disabled' },
    )
    await settled()
    expect(chat.received.length).toBeLessThanOrEqual(6)
  })
})

test('a test is a message that says so', async () => {
  await integrate({ type: 'ntfy' })
  const answer = must(await world.admin.post('/v1/integration/chat/test', {}))
  expect(answer.body).toMatchObject({ isDelivered: true, status: 200, error: '', response: 'ok' })
  expect(chat.received[0]?.headers['title']).toBe('The test has finished')
})

test.each([
  [{ url: '' }, 'url'],
  [{ urlSecret: 'x' }, 'urlSecret'],
  [{ to: ['a@example.com'] }, 'to'],
  [{ events: ['run.*'] }, 'events'],
  [{ type: 'webhook', notify: ['failed'] }, 'notify'],
  [{ type: 'webhook', children: true }, 'children'],
  [{ notify: ['everything'] }, 'notify'],
  [{ groupSeconds: 3601 }, 'groupSeconds'],
  [{ type: 'email', to: ['a@example.com'] }, 'url'],
  [{ type: 'email', url: '' }, 'to'],
  [{ type: 'email', url: '', to: ['a@example.com\r\nBcc: b@example.com'] }, 'to'],
  [{ type: 'email', url: '', to: ['a@example.com', 'A@example.com'] }, 'to'],
  [{ type: 'email', url: '', to: ['a%b.com@example.com'] }, 'to'],
  [{ type: 'email', url: '', to: Array.from({ length: 11 }, (_, n) => `a${n}@example.com`) }, 'to'],
  [{ type: 'pager' }, 'type'],
])('a document with %j is refused', async (fields, field) => {
  const document = { type: 'slack', url: chat.url, ...fields }
  const answer = await world.admin.write('integration', 'bad', document)
  expect(answer.status).toBe(400)
  expect(answer.text).toContain(field)
})
