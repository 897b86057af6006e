import { startTestServer, waitFor } from '@skein/testkit'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { startAutomations } from '../../src/automations/start-automations.ts'
import { AgentWorld, must } from '../agents/agent-world.ts'
import { scrape } from '../scrape.ts'
import { TestReceiver } from './receiver.ts'
import { TriggerSender } from './trigger-sender.ts'

let world: AgentWorld
let receiver: TestReceiver
let stop: (() => Promise<void>) | undefined

beforeEach(async () => {
  world = await AgentWorld.start({ settings: { SKEIN_OUTBOUND_ALLOW: '127.0.0.1' } })
  receiver = await TestReceiver.start()
})

afterEach(async () => {
  await stop?.()
  stop = undefined
  await world.close()
  await receiver.close()
})

function start(): void {
  stop = startAutomations(world.server.engine, world.server.config, world.server.app.log)
}

const integrate = async (fields: Record<string, unknown> = {}) =>
  must(
    await world.admin.write('integration', 'hook', {
      url: receiver.url,
      events: ['agent.spawned'],
      ...fields,
    }),
  )

/** What another server reports, which has not done anything itself. */
async function scrapeAnother(): Promise<ReadonlyMap<string, number>> {
  await world.sql(`update automation_totals set counted_at = '-infinity'`)
  const server = await startTestServer({ database: world.server.database })
  onTestFinished(() => server.close())
  return scrape(server)
}

/** Whether it shows these, sooner or later. */
function shows(series: Readonly<Record<string, number>>): Promise<boolean> {
  return waitFor(
    async () => {
      const seen = await scrape(world.server)
      return Object.entries(series).every(([name, value]) => seen.get(name) === value)
    },
    { what: JSON.stringify(series) },
  )
}

test('requests to receivers are counted by outcome, with their duration', async () => {
  start()
  await integrate()
  receiver.answer = (_, count) => ({ status: count === 1 ? 500 : 204 })
  await world.spawn('a')
  expect(await shows({ 'skein_webhook_attempts_total{outcome="failed"}': 1 })).toBe(true)
  await world.spawn('b')
  expect(
    await shows({
      'skein_webhook_attempts_total{outcome="delivered"}': 1,
      'skein_webhook_attempts_total{outcome="gone"}': 0,
      skein_webhook_request_duration_seconds_count: 2,
      'skein_webhook_dead_letters_total{cause="expired"}': 0,
    }),
  ).toBe(true)
})

test('every server shows how many lanes wait and for how long, apart for failing receivers', async () => {
  await integrate()
  await world.sql(
    `insert into lane (tenant_id, integration, agent_id, replay_id, next_sequence, last_sequence, waiting_since, due_at)
     select $1, 'hook', gen_random_uuid(), gen_random_uuid(), 1, 1, now() - n * interval '1 minute', now()
     from generate_series(1, 3) n`,
    [world.tenant.id],
  )
  await world.sql(`update endpoint set due_at = now() - interval '10 minutes'`)
  const seen = await scrapeAnother()
  expect(seen.get('skein_webhook_lanes_waiting{receiver="answering"}')).toBe(3)
  expect(seen.get('skein_webhook_lanes_waiting{receiver="failing"}')).toBe(0)
  expect(seen.get('skein_webhook_oldest_seconds{receiver="answering"}')).toBeGreaterThanOrEqual(180)
  expect(seen.get('skein_webhook_oldest_seconds{receiver="failing"}')).toBe(0)
  expect(seen.get('skein_automations_overdue_seconds{kind="webhooks"}')).toBeGreaterThanOrEqual(600)
  expect(seen.get('skein_automations_overdue_seconds{kind="triggers"}')).toBe(0)
  await world.sql(`update endpoint set failures = 1, due_at = now() + interval '1 hour'`)
  const failing = await scrapeAnother()
  expect(failing.get('skein_webhook_lanes_waiting{receiver="failing"}')).toBe(3)
  expect(failing.get('skein_automations_overdue_seconds{kind="webhooks"}')).toBe(0)
})

test('what was given up and which integrations were disabled is counted', async () => {
  start()
  await integrate()
  receiver.answer = () => ({ status: 500 })
  await world.spawn('old')
  expect(await shows({ 'skein_webhook_attempts_total{outcome="failed"}': 1 })).toBe(true)
  await waitFor(async () => (await world.sql('select from endpoint where held_until < now()')).length === 1, {
    what: 'the release',
  })
  await world.sql(`update lane set waiting_since = now() - interval '10 days', due_at = now()`)
  await world.sql(`update endpoint set due_at = now()`)
  expect(await shows({ 'skein_webhook_dead_letters_total{cause="expired"}': 1 })).toBe(true)
  receiver.answer = () => ({ status: 410 })
  await world.spawn('gone')
  expect(
    await shows({
      'skein_webhook_attempts_total{outcome="gone"}': 1,
      'skein_webhook_dead_letters_total{cause="disabled"}': 1,
      skein_webhook_disablings_total: 1,
    }),
  ).toBe(true)
  expect((await scrapeAnother()).get('skein_webhook_integrations_disabled')).toBe(1)
})

test('requests to triggers are counted by result, and deliveries by outcome', async () => {
  start()
  const sender = await TriggerSender.create(world, {
    condition: 'body.n > 0',
    spawn: { description: 'Fix it.' },
    limits: { perMinute: 2 },
  })
  await sender.post({ n: 1 })
  await sender.post({ n: 1 })
  await sender.post({ n: 0 })
  await sender.post({ n: 2 })
  await sender.post({ n: 3 }, { 'x-hub-signature-256': 'sha256=00' })
  expect(
    await shows({
      'skein_trigger_requests_total{result="new"}': 2,
      'skein_trigger_requests_total{result="copy"}': 1,
      'skein_trigger_requests_total{result="limited"}': 1,
      'skein_trigger_requests_total{result="unverified"}': 1,
      'skein_trigger_deliveries_total{outcome="spawned"}': 1,
      'skein_trigger_deliveries_total{outcome="ignored"}': 1,
      'skein_trigger_deliveries_total{outcome="failed"}': 0,
      skein_trigger_lag_seconds_count: 2,
    }),
  ).toBe(true)
})

test('a firing is counted by its outcome and with how late it was', async () => {
  start()
  must(await world.admin.write('profile', 'night', {}))
  must(await world.admin.write('workspace', 'shop', {}))
  const document = { every: '1s', profile: 'night', workspace: 'shop', spawn: { description: 'Tidy up.' } }
  must(await world.admin.write('schedule', 'tidy', document))
  const hasFired = await waitFor(
    async () => {
      const seen = await scrape(world.server)
      const started = seen.get('skein_schedule_firings_total{outcome="started"}') ?? 0
      return started > 0 && (seen.get('skein_schedule_firing_lag_seconds_count') ?? 0) > 0
    },
    { what: 'a firing' },
  )
  expect(hasFired).toBe(true)
})

test('only a server that does automations says when it last looked for work', async () => {
  start()
  const kinds = ['webhooks', 'triggers', 'schedules']
  await waitFor(
    async () => {
      const seen = await scrape(world.server)
      return kinds.every((kind) => seen.has(`skein_automations_age_seconds{kind="${kind}"}`))
    },
    { what: 'a look of each kind' },
  )
  const names = [...(await scrapeAnother()).keys()]
  expect(names.filter((name) => name.startsWith('skein_automations_age_seconds'))).toEqual([])
})

test('a server that cannot count leaves the totals out', async () => {
  const counting = 'execute on function read_automation_totals(integer, integer)'
  await world.sql(`revoke ${counting} from skein_server`)
  const names = [...(await scrapeAnother()).keys()]
  expect(names).toContain('skein_webhook_disablings_total')
  const totals = /^skein_(automations_overdue|webhook_(lanes_waiting|oldest_seconds|integrations_disabled))/
  expect(names.filter((name) => totals.test(name))).toEqual([])
})
