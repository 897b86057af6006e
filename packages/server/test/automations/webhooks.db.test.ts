import { waitFor } from '@skein/testkit'
import { Client, type QueryResultRow } from 'pg'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startAutomations } from '../../src/automations/start-automations.ts'
import { AgentWorld, must } from '../agents/agent-world.ts'
import { TestReceiver } from './receiver.ts'

let world: AgentWorld
let receiver: TestReceiver
let stop: () => Promise<void>

beforeEach(async () => {
  world = await AgentWorld.start({ settings: { SKEIN_OUTBOUND_ALLOW: '127.0.0.1' } })
  receiver = await TestReceiver.start()
  stop = startAutomations(world.server.engine, world.server.config, world.server.app.log)
})

afterEach(async () => {
  vi.restoreAllMocks()
  await stop()
  await world.close()
  await receiver.close()
})

async function integrate(fields: Record<string, unknown> = {}, name = 'hook'): Promise<string> {
  const answer = must(await world.admin.write('integration', name, { url: receiver.url, ...fields }))
  return answer.document['signingKey'] as string
}

function arrived(amount: number): Promise<unknown> {
  return waitFor(() => receiver.received.length >= amount, { what: `${amount} requests` })
}

async function query<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: world.server.database.ownerUrl })
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}

test('an integration gets every event of an agent, once and in order', async () => {
  await integrate()
  const { agentId, run } = await world.running('a')
  await world.complete(run, { reason: 'finished' })
  const expected = (await world.timeline(agentId)).map(({ sequence }) => Number(sequence))
  await arrived(expected.length)
  expect(receiver.sequencesOf('a')).toEqual(expected)
})

test('only events that an integration wants are sent', async () => {
  await integrate({ events: ['run.*'], labels: { team: 'x' } })
  const { run } = await world.running('yes', { labels: { team: 'x' } })
  await world.complete(run, { reason: 'finished' })
  await world.running('no')
  await waitFor(() => receiver.received.some(({ json }) => json.type === 'run.ended'), {
    what: 'the end of the run',
  })
  expect(new Set(receiver.received.map(({ json }) => json.type.split('.')[0]))).toEqual(new Set(['run']))
  expect(receiver.sequencesOf('no')).toEqual([])
})

test('a receiver can check the signature with any library for Standard Webhooks', async () => {
  const key = await integrate()
  await world.spawn('a')
  await arrived(1)
  const [first] = receiver.received
  expect(key).toMatch(/^whsec_/)
  expect(new Webhook(key).verify(first?.body ?? '', stringsOf(first?.headers))).toMatchObject({
    type: 'agent.spawned',
    data: { sequence: '1', agentId: { agent: ['a'] } },
  })
})

test('after a rotation, requests are valid for both keys', async () => {
  const old = await integrate({ events: ['agent.spawned'] })
  const key = await integrate({ events: ['agent.spawned'], keyVersion: 2 })
  await world.spawn('a')
  await arrived(1)
  const [first] = receiver.received
  expect(key).not.toBe(old)
  for (const each of [old, key]) {
    expect(() => new Webhook(each).verify(first?.body ?? '', stringsOf(first?.headers))).not.toThrow()
  }
  await query(`update sealed_value set created_at = now() - interval '25 hours' where kind = 'integration'`)
  receiver.received.length = 0
  await world.spawn('b')
  await arrived(1)
  const [later] = receiver.received
  expect(() => new Webhook(old).verify(later?.body ?? '', stringsOf(later?.headers))).toThrow('signature')
  expect(() => new Webhook(key).verify(later?.body ?? '', stringsOf(later?.headers))).not.toThrow()
})

test('what is written while events are being sent counts from the next request on', async () => {
  must(await world.admin.write('secret', 'hook-token', { value: 'one' }))
  await integrate({ headers: { 'x-token': 'hook-token' } })
  receiver.answer = async (_, count) => {
    if (count === 2) must(await world.admin.write('secret', 'hook-token', { value: 'two' }))
    if (count === 3) await integrate({ headers: { 'x-token': 'hook-token' }, disabled: true })
    return { status: 204 }
  }
  const agentId = await world.spawn('a')
  expect((await world.timeline(agentId)).length).toBeGreaterThan(3)
  await waitFor(async () => (await query('select from dead_letter')).length === 1, { what: 'the end' })
  expect(receiver.received.map(({ headers }) => headers['x-token'])).toEqual(['one', 'one', 'two'])
})

test('an event that fails is sent again with the same id, and the next ones wait for it', async () => {
  await integrate({ events: ['agent.*', 'run.queued'] })
  receiver.answer = (_, count) => ({ status: count === 1 ? 500 : 200 })
  await world.spawn('a')
  await arrived(1)
  await waitFor(async () => (await query('select from lane where attempts = 1')).length === 1, {
    what: 'the failure',
  })
  expect(receiver.received).toHaveLength(1)
  await query(`update lane set due_at = now()`)
  await query(`update endpoint set due_at = now()`)
  await arrived(3)
  const [first, second] = receiver.received
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(receiver.sequencesOf('a').slice(0, 2)).toEqual([1, 1])
  expect(receiver.sequencesOf('a').slice(1)).toEqual([...new Set(receiver.sequencesOf('a'))])
})

test('an agent whose events fail does not hold up another', async () => {
  await integrate({ events: ['agent.spawned'] })
  receiver.answer = ({ json }) => ({ status: json.data.agentId.agent[0] === 'bad' ? 500 : 200 })
  await world.spawn('bad')
  await arrived(1)
  await world.spawn('good')
  await waitFor(() => receiver.sequencesOf('good').length > 0, { what: 'the other agent' })
  expect(receiver.sequencesOf('bad')).toEqual([1])
})

test('after five failures in a row, one request at a time tests the receiver; then everything arrives', async () => {
  await integrate({ events: ['agent.spawned'] })
  receiver.answer = () => ({ status: 503 })
  for (let index = 0; index < 12; index++) await world.spawn(`a-${index}`)
  // Released too: until then, requests that were sent together with the fifth failure still arrive.
  const open = 'select from endpoint where failures >= 5 and due_at > now() and held_until < now()'
  await waitFor(async () => (await query(open)).length === 1, { what: 'the open circuit' })
  const before = receiver.received.length
  await query(`update endpoint set due_at = now()`)
  await arrived(before + 1)
  await waitFor(async () => (await query('select from endpoint where held_until < now()')).length === 1, {
    what: 'the end of the test',
  })
  expect(receiver.received).toHaveLength(before + 1)
  receiver.answer = () => ({ status: 200 })
  await query(`update endpoint set due_at = now()`)
  await waitFor(async () => (await query('select from lane')).length === 0, { what: 'all lanes' })
  expect(await query('select failures from endpoint')).toEqual([{ failures: 0 }])
})

test('an event that fails while the circuit is open is not left out if another one closes it', async () => {
  await stop()
  await integrate({ events: ['agent.spawned', 'follow-up.queued'] })
  const agents = Array.from({ length: 8 }, (_, index) => `a-${index}`)
  for (const name of agents) {
    must(await world.queue(await world.spawn(name), { description: 'More.' }))
  }
  // All eight are on their way. Five failures open the circuit; then two more fail, and at once the last one succeeds.
  const { promise: allCame, resolve: letGo } = Promise.withResolvers<undefined>()
  receiver.answer = async (_request, count) => {
    if (count === agents.length) letGo(undefined)
    await allCame
    if (count > 5) await new Promise((resolve) => setTimeout(resolve, 20))
    return { status: count < agents.length ? 503 : 204 }
  }
  stop = startAutomations(world.server.engine, world.server.config, world.server.app.log)
  await waitFor(
    async () => {
      await query('update lane set due_at = now() where due_at > now()')
      await query(`update endpoint set due_at = now() where held_until < now() and due_at < 'infinity'`)
      return receiver.received.length >= agents.length && (await query('select from lane')).length === 0
    },
    { what: 'all lanes' },
  )
  const wanted = await query(`select agent_id, sequence from timeline
    where event ->> 'type' in ('agent.spawned', 'follow-up.queued') order by agent_id, sequence`)
  const delivered = await query(`select agent_id, sequence from delivery
    where error = '' order by agent_id, sequence`)
  expect(wanted.length).toBeGreaterThanOrEqual(2 * agents.length)
  expect(delivered).toEqual(wanted)
})

test('a receiver that is gone gets nothing more, and its owner can see why', async () => {
  await integrate({ events: ['agent.spawned'] })
  receiver.answer = () => ({ status: 410 })
  await world.spawn('a')
  await waitFor(
    async () => (await query('select from endpoint where disabled_at is not null')).length === 1,
    {
      what: 'the end of the endpoint',
    },
  )
  expect(await query('select disabled_because from endpoint')).toEqual([
    { disabled_because: 'The receiver answered with status 410.' },
  ])
  await world.spawn('b')
  expect(await query('select error, first_sequence, last_sequence from dead_letter')).toEqual([
    { error: 'The receiver answered with status 410.', first_sequence: '1', last_sequence: '1' },
  ])
  await waitFor(
    async () =>
      (await query('select from outbox o, outbox_reader r where (o.xid, o.id) > (r.xid, r.id)')).length === 0,
    { what: 'the outbox to be read' },
  )
  // Writing it again enables it.
  receiver.answer = () => ({ status: 200 })
  await integrate({ events: ['agent.spawned'], description: 'again' })
  await world.spawn('c')
  await waitFor(() => receiver.sequencesOf('c').length === 1, { what: 'the first event after that' })
  expect(receiver.sequencesOf('b')).toEqual([])
})

test('what cannot be sent for three days becomes a dead letter', async () => {
  await integrate({ events: ['agent.spawned'] })
  receiver.answer = () => ({ status: 500 })
  await world.spawn('a')
  await arrived(1)
  await waitFor(async () => (await query('select from lane where attempts = 1')).length === 1, {
    what: 'a failure',
  })
  await query(`update lane set waiting_since = now() - interval '4 days', due_at = now()`)
  await query(`update endpoint set due_at = now(), held_until = '-infinity'`)
  await waitFor(async () => (await query('select from dead_letter')).length === 1, {
    what: 'the dead letter',
  })
  expect(await query('select from lane')).toEqual([])
})

test('the days in which a tenant was suspended don’t count: what waited is sent afterwards', async () => {
  await integrate({ events: ['agent.spawned'] })
  receiver.answer = () => ({ status: 500 })
  await world.spawn('a')
  await waitFor(async () => (await query('select from lane where attempts = 1')).length === 1, {
    what: 'a failure',
  })
  const failAgain = async (failures: number) => {
    const before = receiver.received.length
    await query(`update lane set waiting_since = now() - interval '6 days', due_at = now()`)
    await query(
      `update endpoint set due_at = now(), held_until = '-infinity', failures = $1,
         failing_since = now() - interval '6 days'`,
      [failures],
    )
    await arrived(before + 1)
    await waitFor(async () => (await query('select from endpoint where held_until < now()')).length === 1, {
      what: 'the release',
    })
  }
  await query(`update tenant set resumed_at = now() - interval '1 minute'`)
  // An attempt, and then, while the circuit is open, a probe.
  await failAgain(1)
  await failAgain(8)
  expect(await query('select from dead_letter')).toEqual([])
  expect(await query('select from endpoint where disabled_at is not null')).toEqual([])
  receiver.answer = () => ({ status: 200 })
  await query('update lane set due_at = now()')
  await query('update endpoint set due_at = now()')
  await waitFor(async () => (await query('select from lane')).length === 0, { what: 'the delivery' })
  expect(await query(`select from delivery where error = ''`)).toHaveLength(1)
})

test('what comes while a receiver is being disabled is given up too', async () => {
  await integrate({ events: ['agent.spawned'] })
  const relay = new Client({ connectionString: world.server.database.ownerUrl })
  await relay.connect()
  receiver.answer = async () => {
    await relay.query('begin; lock table outbox_reader in access exclusive mode')
    return { status: 410 }
  }
  try {
    await world.spawn('a')
    await waitFor(async () => (await query('select from dead_letter')).length === 1, {
      what: 'the event to be given up',
    })
    await relay.query(
      `insert into lane (tenant_id, integration, agent_id, replay_id, next_sequence, last_sequence, waiting_since, due_at)
       select tenant_id, integration, gen_random_uuid(), gen_random_uuid(), 1, 1, now(), now() from endpoint`,
    )
    await relay.query('commit')
  } finally {
    await relay.end()
  }
  await waitFor(
    async () => (await query('select from endpoint where disabled_at is not null')).length === 1,
    { what: 'the end of the endpoint' },
  )
  expect(await query('select from lane')).toEqual([])
  expect(await query('select from dead_letter')).toHaveLength(2)
})

test('a holder whose time is over cannot record anything', async () => {
  await integrate({ events: ['agent.spawned'] })
  const { promise: answer, resolve: finish } = Promise.withResolvers<{ status: number }>()
  receiver.answer = () => answer
  await world.spawn('a')
  await arrived(1)
  // Another server has taken it.
  await query(`update endpoint set token = token + 1, held_until = now() + interval '1 minute'`)
  finish({ status: 200 })
  receiver.answer = () => ({ status: 200 })
  await new Promise((resolve) => setTimeout(resolve, 400))
  expect(await query('select attempts from lane')).toEqual([{ attempts: 0 }])
  expect(await query('select from delivery')).toEqual([])
})

/** An event that was refused, and is due again as soon as its endpoint is. */
async function refuseOnce(): Promise<void> {
  await integrate({ events: ['agent.spawned'] })
  receiver.answer = () => ({ status: 500 })
  await world.spawn('a')
  await waitFor(
    async () =>
      (await query('select from lane, endpoint where attempts = 1 and held_until < now()')).length === 1,
    { what: 'the refusal' },
  )
  receiver.answer = () => ({ status: 200 })
  await query('update lane set due_at = now()')
}

/** Whatever reads the table waits; when it does, time passes that the server does not notice otherwise. */
async function stallReadersOf(
  table: string,
  meanwhile: (blocker: Client) => Promise<unknown>,
): Promise<void> {
  const blocker = new Client({ connectionString: world.server.database.ownerUrl })
  await blocker.connect()
  try {
    await blocker.query(`begin; lock table ${table} in access exclusive mode`)
    await meanwhile(blocker)
    await waitFor(
      async () =>
        (await query('select from pg_locks where not granted and relation = $1::regclass', [table])).length >
        0,
      { what: 'a stalled server' },
    )
    const realNow = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => realNow() + 15_000)
    await blocker.query('commit')
  } finally {
    await blocker.end()
  }
}

/** The first holder got the refusal. */
function secondHasReleased(): Promise<unknown> {
  return waitFor(
    async () => (await query('select from endpoint where token = 2 and held_until < now()')).length === 1,
    { what: 'the release' },
  )
}

test('a holder that read its events too late to record their answers does not send them', async () => {
  await refuseOnce()
  await stallReadersOf('lane', () => query('update endpoint set due_at = now()'))
  await secondHasReleased()
  expect(receiver.received).toHaveLength(1)
})

test('a holder that learned too late that it holds an endpoint does not send to it', async () => {
  await refuseOnce()
  await stallReadersOf('endpoint', (blocker) => blocker.query('update endpoint set due_at = now()'))
  await secondHasReleased()
  expect(receiver.received).toHaveLength(1)
})

function stringsOf(headers: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

test('a tenant with many receivers that hang leaves room for others', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  receiver.answer = () => released.then(() => ({ status: 204 }))
  const hooks = Array.from({ length: 60 }, (_, index) => `hook-${index}`)
  await Promise.all(hooks.map((name) => integrate({ events: ['agent.spawned'] }, name)))
  try {
    await world.spawn('a')
    await arrived(25)
    const held = await query('select from endpoint where held_until > now()')
    expect(held.length).toBeGreaterThanOrEqual(25)
    // Some more than its share, because several are taken at once.
    expect(held.length).toBeLessThan(35)
  } finally {
    release()
  }
  await arrived(60)
})
