import { SkeinError } from '@skein/contract'
import { applyNext, TriggerLoops } from '@skein/engine'
import { takeDueTriggers } from '@skein/store'
import { startTestServer, type TestServer } from '@skein/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { AgentWorld, must } from '../agents/agent-world.ts'
import { TriggerSender } from './trigger-sender.ts'

const containing = (text: string): unknown => expect.stringContaining(text)

let server: TestServer
let world: AgentWorld
let loops: TriggerLoops | undefined

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.close())

beforeEach(async () => {
  world = await AgentWorld.in(server, await server.createTenant())
})

afterEach(async () => {
  await loops?.stop()
  loops = undefined
})

function startLoops(): void {
  loops = new TriggerLoops(world.server.engine, (error) => {
    throw error
  })
  loops.start()
}

const TICKET = {
  spawn: { description: 'Fix it.\n{{ body.text }}' },
  send: { agent: 'ticket-{{ body.n }}', message: 'Changed.\n{{ body.text }}' },
}

const OWN = 'tenant_id = (select id from tenant where org = $1)'
const org = () => world.tenant.tenant.org

async function agents(): Promise<Record<string, unknown>[]> {
  const answer = must(await world.admin.post('/v1/agents', { account: '*', includeTerminal: true }))
  return answer.body['entries'] as Record<string, unknown>[]
}

const agentIdOf = (name: string) => ({
  workspace: 'shop',
  ownerProvider: 'PROVIDER_SERVICE_PROFILE' as const,
  account: 'night',
  agent: [name],
  tenant: world.tenant.tenant,
})

test('a request starts an agent that the profile owns, and the next ones send it messages', async () => {
  startLoops()
  const sender = await TriggerSender.create(world, TICKET)
  const first = await sender.post({ n: 7, text: 'The cart is broken.' })
  expect(first.status).toBe(202)
  await sender.applied()
  await sender.post({ n: 7, text: 'It still is.' })
  await sender.post({ n: 8, text: 'Another one.' })
  const log = await sender.applied()
  expect(log.map(({ outcome, agent }) => [outcome, agent])).toEqual([
    ['SPAWNED', 'ticket-8'],
    ['SENT', 'ticket-7'],
    ['SPAWNED', 'ticket-7'],
  ])
  expect(log[2]).toMatchObject({
    id: first.body['deliveryId'],
    workspace: 'shop',
    account: 'night',
    reason: '',
  })
  const { description, followUps } = await world.status(agentIdOf('ticket-7'))
  expect(description).toContain(`received by trigger tickets in delivery ${String(first.body['deliveryId'])}`)
  expect(description).toContain('\n> The cart is broken.\n')
  expect(followUps.map((followUp) => followUp.description)).toEqual([
    description,
    containing('\n> It still is.\n'),
  ])
})

describe('a request that is not genuine', () => {
  test('gets the same answer as one to a trigger or tenant that does not exist, and is not recorded', async () => {
    const sender = await TriggerSender.create(world, TICKET)
    const { anonymous } = world.server
    const body = '{"n":1}'
    const headers = sender.sign(body)
    const answers = [
      await anonymous.post(sender.path, body),
      await anonymous.post(sender.path, '{"n":2}', { headers }),
      await anonymous.post(sender.path, body, { headers: { 'x-hub-signature-256': 'sha256=00' } }),
      await anonymous.post(`${sender.path}x`, body, { headers }),
      await anonymous.post('/v1/trigger/codehost_app:nobody/tickets', body, { headers }),
      await anonymous.post('/v1/trigger/acme/tickets', body, { headers }),
      await anonymous.post('/v1/trigger/codehost_app:%00/tickets', body, { headers }),
      await anonymous.post('/v1/trigger/%20/..%2f', body, { headers }),
      await world.admin.post(sender.path, body),
    ]
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await sender.log()).toEqual([])
  })

  test('is refused with the key of another trigger or tenant', async () => {
    const sender = await TriggerSender.create(world, TICKET)
    const other = await TriggerSender.create(world, TICKET, 'other')
    const body = '{"n":1}'
    const answer = await world.server.anonymous.post(sender.path, body, { headers: other.sign(body) })
    expect(answer).toMatchObject({ status: 401, reason: 'TRIGGER_REFUSED' })
  })
})

test('the previous key is valid for a day after a rotation', async () => {
  const sender = await TriggerSender.create(world, TICKET)
  const renewed = await TriggerSender.create(world, { ...TICKET, keyVersion: 2 })
  expect(renewed.key).not.toBe(sender.key)
  expect((await sender.post({ n: 1 })).status).toBe(202)
  expect((await renewed.post({ n: 2 })).status).toBe(202)
  await world.sql(
    `update sealed_value set created_at = now() - interval '25 hours' where kind = 'trigger' and ${OWN}`,
    [org()],
  )
  expect((await sender.post({ n: 3 })).status).toBe(401)
  expect((await renewed.post({ n: 4 })).status).toBe(202)
})

test.each(['copying', 'draining', 'leaving', 'frozen', 'moved'])(
  'a sender is not refused while the tenant moves to another cell: %s',
  async (step) => {
    const sender = await TriggerSender.create(world, TICKET)
    await world.sql('update tenant set move_step = $2, suspended_at = now() where org = $1', [org(), step])
    // What must not change is refused by the move itself, with an error that says to try again.
    expect((await sender.post({ n: 1 })).status).toBe(202)
  },
)

test('a key that the sender chose comes from a secret', async () => {
  must(await world.admin.write('secret', 'theirs', { value: 'chosen elsewhere' }))
  const created = await TriggerSender.create(world, {
    ...TICKET,
    verification: { type: 'github', secret: 'theirs' },
  })
  expect(created.key).toBe('undefined')
  const sender = new TriggerSender(world, 'tickets', 'chosen elsewhere')
  expect((await sender.post({ n: 1 })).status).toBe(202)
  expect((await created.post({ n: 1 })).status).toBe(401)
})

test('a body over 1 MiB is refused before it is read', async () => {
  const sender = await TriggerSender.create(world, TICKET)
  const answer = await sender.post(`"${'x'.repeat(10 * 1024 * 1024)}"`)
  expect(answer).toMatchObject({ status: 413, reason: 'BODY_TOO_LARGE' })
  expect((await sender.post(`"${'x'.repeat(1024 * 1024 - 2)}"`)).status).toBe(202)
})

test('five copies at once on two servers are one delivery and one agent', async () => {
  const second = await startTestServer({ database: world.server.database })
  onTestFinished(() => second.close())
  const more = new TriggerLoops(second.engine, () => undefined)
  more.start()
  startLoops()
  const sender = await TriggerSender.create(world, {
    spawn: { description: 'Look at {{ body.n }}.' },
    limits: { agents: 50, perMinute: 600 },
  })
  const copies = Array.from({ length: 20 }, (_, n) =>
    Array.from({ length: 5 }, (_copy, index) =>
      sender.post({ n }, {}, index % 2 === 0 ? second : world.server),
    ),
  )
  const ids = await Promise.all(
    copies.map(async (posts) => new Set((await Promise.all(posts)).map(({ body }) => body['deliveryId']))),
  )
  expect(ids.map(({ size }) => size)).toEqual(Array(20).fill(1))
  await sender.applied()
  await more.stop()
  expect(await sender.log()).toHaveLength(20)
  expect(await agents()).toHaveLength(20)
})

test('a repeated request is a copy, even with another id, and a retry with another body but the same id', async () => {
  const sender = await TriggerSender.create(world, TICKET)
  const first = await sender.post({ n: 1 }, { 'x-github-delivery': 'a' })
  const forged = await sender.post({ n: 1 }, { 'x-github-delivery': 'b', 'x-github-event': 'push' })
  const retried = await sender.post({ n: 1, again: true }, { 'x-github-delivery': 'a' })
  expect([forged.body, retried.body]).toEqual([first.body, first.body])
  expect(await sender.log()).toHaveLength(1)
})

test('with a bearer key, the id decides, and without one the body', async () => {
  const sender = await TriggerSender.create(world, { ...TICKET, verification: { type: 'bearer' } })
  const post = async (id: string) => {
    const headers = { authorization: `Bearer ${sender.key}`, ...(id !== '' && { 'idempotency-key': id }) }
    return (await world.server.anonymous.post(sender.path, '{}', { headers })).body['deliveryId']
  }
  const ids = [await post('1'), await post('1'), await post('2'), await post(''), await post('')]
  expect(ids[1]).toBe(ids[0])
  expect(ids[4]).toBe(ids[3])
  expect(new Set(ids).size).toBe(3)
})

/** Holds the trigger, as if the server that held it before had been killed. */
async function take() {
  await world.sql(`update trigger_state set due_at = now(), held_until = '-infinity' where ${OWN}`, [org()])
  const [{ id } = { id: '' }] = await world.sql('select id from tenant where org = $1', [org()])
  const taken = await world.server.engine.database.statement((transaction) =>
    takeDueTriggers(transaction, { amount: 1000, holdMs: 30_000, busyTenants: [] }),
  )
  const held = taken.find(({ trigger, tenantId }) => trigger === 'tickets' && tenantId === id)
  if (!held) throw new Error('The trigger is not due')
  return held
}

describe('a server that is killed', () => {
  test('after a request was recorded loses nothing', async () => {
    const sender = await TriggerSender.create(world, TICKET)
    await sender.post({ n: 1 })
    await take()
    // Its hold expires.
    await world.sql(`update trigger_state set due_at = now(), held_until = now() where ${OWN}`, [org()])
    startLoops()
    expect(await sender.applied()).toMatchObject([{ outcome: 'SPAWNED', agent: 'ticket-1' }])
  })

  test.each([
    ['started an agent', { n: 1 }, 'SPAWNED'],
    ['sent a message', { n: 2 }, 'SENT'],
  ])('after it %s, and before that was recorded, does nothing twice', async (_what, body, outcome) => {
    const sender = await TriggerSender.create(world, TICKET)
    await sender.post({ n: 2, first: true })
    expect(await applyNext(world.server.engine, await take())).toBe('applied')
    const before = (await agents()).length
    await sender.post(body)
    expect(await applyNext(world.server.engine, await take())).toBe('applied')
    // As it was before the end was recorded.
    await world.sql(
      `update trigger_delivery set ended_at = null, outcome = 'PENDING', agent = '',
         plan = (select to_jsonb(p) from (select 'night' as profile, 'shop' as workspace, $1::text as agent,
           false as "isOwnName", 'Changed.' as message, 10 as "maxAgents",
           jsonb_build_object('description', 'Fix it.', 'agent', '', 'autoComplete', true) as spawn) p),
         planned_at = now()
       where number = 2 and tenant_id = (select id from tenant where org = $2)`,
      [`ticket-${body.n}`, org()],
    )
    // Somebody changes the trigger meanwhile: what was decided stays.
    await TriggerSender.create(world, { spawn: { description: 'Other.', agent: 'other' } })
    expect(await applyNext(world.server.engine, await take())).toBe('applied')
    expect((await sender.log())[0]).toMatchObject({ outcome, agent: `ticket-${body.n}` })
    expect(await agents()).toHaveLength(body.n === 1 ? before + 1 : before)
    const { followUps } = await world.status(agentIdOf(`ticket-${body.n}`))
    expect(followUps).toHaveLength(body.n)
  })

  test('and comes back when another has taken over changes nothing', async () => {
    const sender = await TriggerSender.create(world, TICKET)
    await sender.post({ n: 1 })
    const late = await take()
    await take()
    expect(await applyNext(world.server.engine, late)).toBe('lost')
    expect(await sender.log()).toMatchObject([{ outcome: 'PENDING' }])
    expect(await agents()).toEqual([])
  })
})

const BUSY = { plan: () => Promise.reject(new SkeinError('DATABASE_UNAVAILABLE')) }

test('the hour in which a delivery is tried starts again when its tenant is resumed', async () => {
  const sender = await TriggerSender.create(world, TICKET)
  await sender.post({ n: 1 })
  const engine = { ...world.server.engine, triggerRules: BUSY as never }
  const isRetried = { retryAt: expect.any(Number) as unknown }
  expect(await applyNext(engine, await take())).toMatchObject(isRetried)
  await world.sql(`update trigger_delivery set received_at = now() - interval '4 days' where ${OWN}`, [org()])
  await world.sql('update tenant set resumed_at = now() where org = $1', [org()])
  expect(await applyNext(engine, await take())).toMatchObject(isRetried)
  await world.sql(`update tenant set resumed_at = now() - interval '2 hours' where org = $1`, [org()])
  expect(await applyNext(engine, await take())).toBe('applied')
  expect(await sender.log()).toMatchObject([{ outcome: 'FAILED' }])
})

describe('what is not done has a reason', () => {
  beforeEach(() => startLoops())

  test.each([
    ['a condition that is false', { condition: 'body.n == 2' }, 'IGNORED', 'The condition is false.'],
    ['a paused trigger', { paused: true }, 'IGNORED', 'The trigger is paused.'],
    [
      'a hostile name',
      { send: { agent: '../{{ body.n }}', message: 'x' } },
      'REFUSED',
      '"../1" is not a name for an agent: use the filter slug.',
    ],
    ['an agent that is not there', { spawn: undefined }, 'REFUSED', containing('does not exist')],
  ])('%s', async (_what, fields, outcome, reason) => {
    const sender = await TriggerSender.create(world, { ...TICKET, ...fields })
    await sender.post({ n: 1 })
    expect(await sender.applied()).toMatchObject([{ outcome, reason, agent: '' }])
    expect(await agents()).toEqual([])
  })

  test('a body that is not JSON', async () => {
    const sender = await TriggerSender.create(world, TICKET)
    expect(
      (await sender.post('payload=x', { 'content-type': 'application/x-www-form-urlencoded' })).status,
    ).toBe(202)
    expect(await sender.applied()).toMatchObject([{ outcome: 'REFUSED', reason: containing('not JSON') }])
  })

  test('too many agents alive', async () => {
    const sender = await TriggerSender.create(world, { ...TICKET, limits: { agents: 2 } })
    for (const n of [1, 2, 3]) await sender.post({ n })
    expect((await sender.applied())[0]).toMatchObject({
      outcome: 'REFUSED',
      reason: '2 agents of the trigger are alive: its limit is 2.',
    })
    await world.kill(agentIdOf('ticket-1'))
    await sender.post({ n: 4 })
    expect((await sender.applied())[0]).toMatchObject({ outcome: 'SPAWNED' })
  })

  test('a quota of the tenant', async () => {
    must(await world.admin.write('quota', 'default', { liveAgents: 1 }))
    const sender = await TriggerSender.create(world, TICKET)
    for (const n of [1, 2]) await sender.post({ n })
    expect((await sender.applied())[0]).toMatchObject({
      outcome: 'REFUSED',
      reason: containing('liveAgents'),
    })
  })
})

test('more requests in a minute than allowed have to wait', async () => {
  const sender = await TriggerSender.create(world, { ...TICKET, limits: { perMinute: 3 } })
  const answers = []
  for (const n of [1, 2, 3, 4]) answers.push(await sender.post({ n }))
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 429])
  expect(Number(answers[3]?.headers['retry-after'])).toBeGreaterThan(0)
  // A copy of one that was recorded is not a new one.
  expect((await sender.post({ n: 1 })).body).toEqual(answers[0]?.body)
})

test('only the newest thousand bodies are kept, and as many can wait', async () => {
  const sender = await TriggerSender.create(world, { ...TICKET, limits: { perMinute: 600 } })
  await sender.post({ n: 1 })
  await world.sql(`update trigger_state set newest = 1000 where ${OWN}`, [org()])
  expect((await sender.post({ n: 2 })).status).toBe(429)
  await world.sql(`update trigger_delivery set ended_at = now(), outcome = 'IGNORED' where ${OWN}`, [org()])
  await world.sql(`update trigger_state set newest = 1000 where ${OWN}`, [org()])
  expect((await sender.post({ n: 3 })).status).toBe(202)
  const [, first] = await sender.log()
  expect(first).toMatchObject({ isKept: false })
  const path = `/v1/triggers/tickets/deliveries/${String(first?.['id'])}`
  expect(await world.admin.post(`${path}/redeliver`, {})).toMatchObject({ reason: 'DELIVERY_NOT_KEPT' })
})

test('a delivery can be read and redelivered', async () => {
  startLoops()
  const sender = await TriggerSender.create(world, { ...TICKET, paused: true, headers: ['X-Team'] })
  await sender.post({ n: 1 }, { 'x-team': 'blue', cookie: 'secret', 'x-other': 'x' })
  const [ignored] = await sender.applied()
  const path = `/v1/triggers/tickets/deliveries/${String(ignored?.['id'])}`
  const read = must(await world.admin.get(path))
  expect(read.body).toMatchObject({
    delivery: { outcome: 'IGNORED' },
    headers: { 'x-team': 'blue', 'x-github-event': 'issues', 'content-type': 'application/json' },
    body: Buffer.from('{"n":1}').toString('base64'),
  })
  expect(Object.keys(read.body['headers'] as object)).not.toContain('cookie')
  await TriggerSender.create(world, { ...TICKET, keyVersion: 1 })
  const options = { headers: { 'idempotency-key': 'again' } }
  const again = must(await world.admin.post(`${path}/redeliver`, {}, options))
  expect((await world.admin.post(`${path}/redeliver`, {}, options)).body).toEqual(again.body)
  const log = await sender.applied()
  expect(log).toHaveLength(2)
  expect(log[0]).toMatchObject({
    id: again.body['deliveryId'],
    outcome: 'SPAWNED',
    redeliveryOf: ignored?.['id'],
  })
  const viewer = await world.tenant.as('viewer', 'curious')
  expect((await viewer.get(path)).status).toBe(403)
  expect((await viewer.get('/v1/triggers/tickets/deliveries')).status).toBe(200)
})

test('the list says how each trigger is doing', async () => {
  startLoops()
  const sender = await TriggerSender.create(world, { ...TICKET, description: 'Tickets.' })
  await TriggerSender.create(world, { ...TICKET, paused: true }, 'another')
  expect(must(await world.admin.get('/v1/triggers')).body).toMatchObject({
    triggers: [
      { name: 'another', paused: true, last: [], hours: [], pending: 0 },
      { name: 'tickets', paused: false, last: [], hours: [], pending: 0 },
    ],
  })
  await sender.post({ n: 1, text: 'Hi' })
  await sender.post('not JSON')
  const [last] = await sender.applied()
  expect(last).toMatchObject({ outcome: 'REFUSED' })
  const viewer = await world.tenant.as('viewer', 'curious')
  const { triggers } = must(await viewer.get('/v1/triggers')).body as {
    triggers: { hours: { attempts: number; failures: number }[] }[]
  }
  expect(triggers[1]).toMatchObject({
    name: 'tickets',
    description: 'Tickets.',
    sender: 'github',
    workspace: 'shop',
    profile: 'night',
    last: [last],
  })
  // The hour may have changed in between.
  const sum = (field: 'attempts' | 'failures') =>
    triggers[1]?.hours.reduce((total, hour) => total + hour[field], 0)
  expect([sum('attempts'), sum('failures')]).toEqual([2, 1])
  const other = await AgentWorld.in(server, await server.createTenant())
  expect(must(await other.admin.get('/v1/triggers')).body).toEqual({ triggers: [], nextPageToken: '' })
})

test('the list is read page by page', async () => {
  for (const name of ['c', 'a', 'b']) await TriggerSender.create(world, TICKET, name)
  const page = async (query: string) => {
    const { body } = must(await world.admin.get(`/v1/triggers?pageSize=2${query}`))
    const { triggers, nextPageToken } = body as { triggers: { name: string }[]; nextPageToken: string }
    return { names: triggers.map(({ name }) => name), nextPageToken }
  }
  const first = await page('')
  expect(first.names).toEqual(['a', 'b'])
  expect(await page(`&pageToken=${first.nextPageToken}`)).toEqual({ names: ['c'], nextPageToken: '' })
  expect((await world.admin.get('/v1/triggers?pageToken=x')).body).toMatchObject({
    details: [{ reason: 'PAGE_TOKEN_INVALID' }],
  })
})

test('a dry run says what would happen, and nothing happens', async () => {
  const sender = await TriggerSender.create(world, TICKET)
  const run = (document: object, body: string, headers = {}) =>
    world.admin.post('/v1/trigger-test', {
      name: 'tickets',
      payload: Buffer.from(JSON.stringify(document)).toString('base64'),
      body,
      headers,
    })
  const document = { profile: 'night', workspace: 'shop', verification: { type: 'github' }, ...TICKET }
  expect((await run(document, '{"n":1,"text":"Hi"}')).body).toMatchObject({
    outcome: 'SENT',
    agent: 'ticket-1',
    description: containing('\n> Hi\n'),
    message: containing('\n> Hi\n'),
  })
  const event = { ...document, condition: `headers['x-github-event'] == 'push'` }
  expect((await run(event, '{}', { 'x-github-event': 'issues' })).body).toMatchObject({ outcome: 'IGNORED' })
  expect(await run({ ...document, condition: 'body.' }, '{}')).toMatchObject({
    status: 400,
    reason: 'DOCUMENT_INVALID',
  })
  expect(await run({}, '{}')).toMatchObject({ status: 400, reason: 'DOCUMENT_INVALID' })
  expect(await sender.log()).toEqual([])
  expect(await agents()).toEqual([])
})

test('a trigger whose texts cannot be read is not written, and fields outside the mask are not checked', async () => {
  await TriggerSender.create(world, TICKET)
  const answer = await world.admin.write('trigger', 'bad', {
    profile: 'night',
    workspace: 'shop',
    condition: 'body.n =',
    spawn: { description: '{% echo body.n %}' },
  })
  expect(answer).toMatchObject({ status: 400, reason: 'DOCUMENT_INVALID' })
  expect(answer.text).toContain('condition')
  expect(answer.text).toContain('spawn.description')
  const patch = { condition: 'body.n =', paused: true }
  expect((await world.admin.write('trigger', 'tickets', patch, { updateMask: 'paused' })).status).toBe(200)
})

test('a deleted trigger is unknown, and its deliveries are gone', async () => {
  const sender = await TriggerSender.create(world, TICKET)
  await sender.post({ n: 1 })
  must(await world.admin.delete('/v1/catalog/trigger/tickets'))
  expect((await sender.post({ n: 2 })).status).toBe(401)
  expect(await world.sql(`select from trigger_delivery where ${OWN}`, [org()])).toEqual([])
})

test('a tenant has at most as many triggers as its quota allows', async () => {
  await TriggerSender.create(world, TICKET)
  must(await world.admin.write('quota', 'default', { triggers: 2 }))
  const document = { profile: 'night', workspace: 'shop', verification: { type: 'github' }, ...TICKET }
  const write = async (name: string) => (await world.admin.write('trigger', name, document)).status
  expect(await write('two')).toBe(200)
  expect(await write('three')).toBe(429)
  expect(await write('two')).toBe(200)
  await world.admin.delete('/v1/catalog/trigger/two')
  expect(await write('three')).toBe(200)
})

test('of twenty triggers written at once, as many are refused as go beyond the quota', async () => {
  await TriggerSender.create(world, TICKET)
  must(await world.admin.write('quota', 'default', { triggers: 8 }))
  const document = { profile: 'night', workspace: 'shop', verification: { type: 'github' }, ...TICKET }
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => world.admin.write('trigger', `t-${index}`, document)),
  )
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(7)
  expect(statuses.filter((status) => status === 429)).toHaveLength(13)
})
