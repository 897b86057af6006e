import { Maintenance } from '@skein/engine'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld, must } from '../agents/agent-world.ts'
import { TriggerSender } from './trigger-sender.ts'

/** How each newer table is kept small; one row means one for the installation or for each tenant. Add new ones here. */
const ENDS: Readonly<Record<string, 'partition' | 'expiry' | 'with its resource' | 'one row'>> = {
  audit_position: 'one row',
  audit_seal: 'expiry',
  automation_totals: 'one row',
  budget: 'with its resource',
  budget_hold: 'with its resource',
  budget_notice: 'with its resource',
  budget_reservation: 'expiry',
  budget_spend: 'expiry',
  budget_watch: 'with its resource',
  code_host_call: 'expiry',
  code_host_delivery: 'expiry',
  dead_letter: 'partition',
  delivery: 'partition',
  // Deleted with the agent.
  diff: 'expiry',
  diff_patch: 'expiry',
  directory_group: 'with its resource',
  // Deleted with its users.
  directory_list: 'with its resource',
  directory_member: 'with its resource',
  directory_user: 'with its resource',
  endpoint: 'with its resource',
  finished_sign_in: 'expiry',
  host_issue: 'expiry',
  host_start: 'expiry',
  host_watch: 'with its resource',
  invitation: 'expiry',
  login: 'expiry',
  lane: 'with its resource',
  leaver: 'expiry',
  mail_hour: 'one row',
  // One for each organization that a provider names.
  organization_pin: 'one row',
  outbox_reader: 'one row',
  // One for each account of a person, like a token's.
  person: 'one row',
  // Forgotten at sign-out, and when the host no longer accepts it.
  person_grant: 'one row',
  pull_request: 'expiry',
  review_thread: 'with its resource',
  schedule_firing: 'expiry',
  schedule_timer: 'with its resource',
  schedule_turn: 'one row',
  segment_turn: 'one row',
  team_member: 'with its resource',
  // Deleted with the agent.
  timeline_segment: 'expiry',
  trigger_agent: 'with its resource',
  trigger_delivery: 'expiry',
  trigger_state: 'with its resource',
  // Deleted after the backups that refer to them.
  unused_object: 'expiry',
  usage: 'expiry',
  usage_by_label: 'expiry',
  // One for each workspace that ever had a team, like its row in the catalog.
  workspace_team: 'one row',
}

/** Those that were there before automations. */
const OTHERS = new Set([
  'agent',
  'api_key',
  'audit',
  'browser_session',
  'command',
  'fleet_count',
  'follow_up',
  'leftover',
  'lease',
  'live_agents',
  'outbox',
  'partition_plan',
  'pool_totals',
  'queued_bytes',
  'resource',
  'resource_reference',
  'resource_version',
  'run',
  'runner',
  'sealed_value',
  'service_contact',
  'sign_in_level',
  'sign_in_link',
  'skein_function_set',
  'skein_migration',
  'spend',
  'tenant',
  'tenant_turn',
  'timeline',
  'timer',
])

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

const namesOf = async (text: string) => (await world.sql(text)).map(({ name }) => String(name))

/** What a server does at startup and once an hour. */
async function maintain(): Promise<void> {
  const retention = { audit: 400, timeline: 400, agent: 400, history: 400, spend: 400 }
  const maintenance = new Maintenance(world.server.engine, retention, (error) => {
    throw error
  })
  await maintenance.start()
  await maintenance.stop()
}

const count = async (table: string) => (await world.sql(`select from ${table}`)).length

test('every table of automations has an end', async () => {
  const tables = await namesOf(
    `select c.relname as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  )
  expect(tables.length).toBeGreaterThan(OTHERS.size)
  expect(tables.filter((name) => !OTHERS.has(name) && !(name in ENDS))).toEqual([])
})

test('requests to receivers are kept for 7 days, and dead letters for 30', async () => {
  await world.sql(
    `insert into delivery (tenant_id, id, created_at, integration, agent_id, sequence, event_type, attempt, status, error,
       latency_ms, response)
     select $1, gen_random_uuid(), now() - days * interval '1 day', 'hook', gen_random_uuid(), 1, 'run.ended', 1, 200, '',
       1, ''
     from unnest(array[6, 9]) as days`,
    [world.tenant.id],
  )
  await world.sql(
    `insert into dead_letter (tenant_id, id, created_at, integration, agent_id, first_sequence, last_sequence, error)
     select $1, gen_random_uuid(), now() - days * interval '1 day', 'hook', gen_random_uuid(), 1, 2, 'Gone.'
     from unnest(array[29, 32]) as days`,
    [world.tenant.id],
  )
  await maintain()
  expect(await count('delivery')).toBe(1)
  expect(await count('dead_letter')).toBe(1)
})

test('requests to triggers are kept for 7 days, and firings for 30', async () => {
  const sender = await TriggerSender.create(world, { spawn: { description: 'Fix it.' } }, 'aging')
  await sender.post({ n: 1 })
  await sender.post({ n: 2 })
  await world.sql(
    `update trigger_delivery set received_at = now() - case number when 1 then 8 else 6 end * interval '1 day'`,
  )
  await world.sql(
    `insert into schedule_firing (tenant_id, schedule, due_at, is_manual, outcome, created_at)
     select $1, 'tidy', now() - days * interval '1 day', false, 'started', now() - days * interval '1 day'
     from unnest(array[29, 31]) as days`,
    [world.tenant.id],
  )
  await maintain()
  expect(await count('trigger_delivery')).toBe(1)
  expect(await count('schedule_firing')).toBe(1)
})

test('a signing key is deleted a day after it was replaced; the one in use stays', async () => {
  must(await world.admin.write('integration', 'rotated', { url: 'https://hooks.example.com/' }))
  must(
    await world.admin.write('integration', 'rotated', { url: 'https://hooks.example.com/', keyVersion: 2 }),
  )
  const versions = () => world.sql(`select version from sealed_value where name = 'rotated' order by version`)
  await maintain()
  expect(await versions()).toEqual([{ version: 1 }, { version: 2 }])
  await world.sql(
    `update sealed_value set created_at = created_at - interval '25 hours' where name = 'rotated'`,
  )
  await maintain()
  expect(await versions()).toEqual([{ version: 2 }])
})

test('what belongs to an integration, a trigger or a schedule is deleted with it', async () => {
  must(await world.admin.write('integration', 'hook', { url: 'https://hooks.example.com/' }))
  const sender = await TriggerSender.create(world, { spawn: { description: 'Fix it.' } })
  await sender.post({ n: 1 })
  const document = { every: '3600s', profile: 'night', workspace: 'shop', spawn: { description: 'Tidy up.' } }
  must(await world.admin.write('schedule', 'tidy', document))
  await world.sql(
    `insert into lane (tenant_id, integration, agent_id, replay_id, next_sequence, last_sequence, waiting_since, due_at)
     values ($1, 'hook', gen_random_uuid(), gen_random_uuid(), 1, 1, now(), now())`,
    [world.tenant.id],
  )
  await world.sql(`insert into trigger_agent (tenant_id, trigger, agent_key) values ($1, 'tickets', 'a')`, [
    world.tenant.id,
  ])
  for (const [kind, name] of [
    ['integration', 'hook'],
    ['trigger', 'tickets'],
    ['schedule', 'tidy'],
  ] as const) {
    must(await world.admin.delete(`/v1/catalog/${kind}/${name}`))
  }
  const left = await namesOf(
    `select 'endpoint' as name from endpoint where integration = 'hook'
     union all select 'lane' from lane where integration = 'hook'
     union all select 'schedule_timer' from schedule_timer where name = 'tidy'
     union all select 'trigger_state' from trigger_state where trigger = 'tickets'
     union all select 'trigger_agent' from trigger_agent where trigger = 'tickets'
     union all select 'trigger_delivery' from trigger_delivery where trigger = 'tickets'`,
  )
  expect(left).toEqual([])
})
