import { randomBytes, randomUUID } from 'node:crypto'
import type { AgentId } from '@skein/contract'
import { cancelMove, Vault, verifyAudit, type MoveTenant } from '@skein/engine'
import { TestClient, waitFor } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { findTables, insertOf } from '../../../../store/test/tenant-tables.ts'
import { openResources } from '../../../src/resources.ts'
import { AgentWorld, must, runnerKey } from '../../agents/agent-world.ts'
import { makeAuditOlder, rowsOf, sealAll, TwoCells, type TestCell } from './two-cells.ts'

type Step = Parameters<NonNullable<MoveTenant['onStep']>>[0]

class Killed extends Error {}

const STEPS = [
  'recorded',
  'prepared',
  'batch resource',
  'copied',
  'draining',
  'drained',
  'leaving',
  'left',
  'frozen',
  'fenced',
  'completed',
  'checked',
  'moved',
  'activated',
  'finished',
] as const satisfies readonly Step[]

let cells: TwoCells
let world: AgentWorld
let org: string
let key: string
/** The same admin in the other cell. */
let there: TestClient

beforeAll(async () => {
  cells = await TwoCells.start()
})

afterAll(() => cells.close())

beforeEach(async () => {
  world = await AgentWorld.in(cells.one.server, await cells.one.server.createTenant())
  org = world.tenant.tenant.org
  const token = must(await world.admin.write('token', 'root', { account: 'ada', role: 'admin' }))
  key = String(token.document['key'])
  there = new TestClient(cells.two.server.app, key)
})

const until = (what: string, isSo: () => Promise<boolean>) =>
  waitFor(async () => (await isSo()) || undefined, { what, timeoutMs: 10_000 })

const owners = () => cells.owners(world.tenant.id)
const rowsIn = (cell: TestCell, table: string) => rowsOf(cell, table, world.tenant.id)

async function traces(): Promise<{ waiting: AgentId; running: AgentId }> {
  must(await world.admin.write('secret', 's', { value: 'hunter2' }))
  must(await world.admin.write('persona', 'p', { prompt: 'ä ☃ "quoted" \\ {}' }))
  const { agentId: running } = await world.running('worker', { labels: { team: 'a' } })
  const { agentId: ended, run } = await world.running('ended')
  await world.complete(run, { reason: 'finished', session: 'x', message: 'done' })
  must(await world.admin.post('/v1/agent/status', { agentId: ended }))
  const waiting = await world.spawn('waiting')
  const deliverAt = new Date(Date.now() + 3_600_000).toISOString()
  must(await world.queue(waiting, { description: 'later', deliverAt }))
  must(await world.admin.write('integration', 'hook', { type: 'webhook', url: 'https://example.com/hook' }))
  must(await world.queue(waiting, { description: 'after the integration' }))
  return { waiting, running }
}

test('agents, keys, secrets, messages and the answers to commands are the same in the other cell', async () => {
  const { waiting, running } = await traces()
  const spawned = { agentId: { agent: ['once'] }, description: 'Once.' }
  const headers = { 'idempotency-key': 'once' }
  const first = must(await world.admin.post('/v1/agent/spawn', spawned, { headers }))
  const [before] = [await world.timeline(waiting)]
  await cells.move(org)
  expect(await owners()).toEqual(['c2'])
  const timeline = async (agentId: AgentId) =>
    must(await there.post('/v1/agent/timeline', { agentId })).body['events'] as { sequence: string }[]
  expect(await timeline(waiting)).toEqual(before)
  // The run in progress was given up, as when a tenant is suspended, and waits for a runner.
  const events = await timeline(running)
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => `${index + 1}`))
  const status = must(await there.post('/v1/agent/status', { agentId: running })).body
  expect(status['phase']).toBe('PHASE_PENDING')
  const again = await there.post('/v1/agent/spawn', spawned, { headers })
  expect(must(again).body['agentId']).toEqual(first.body['agentId'])
  const runner = new TestClient(cells.two.server.app, await runnerKeyThere())
  const runs = must(await runner.post('/v1/runner/poll', { capacity: 100 })).body['runs'] as {
    agentId: AgentId
  }[]
  expect(runs.map(({ agentId }) => agentId.agent.join('/')).toSorted()).toEqual(['once', 'waiting', 'worker'])
  const [sealed] = await cells.two.sql<{ sealed: string }>(
    `select sealed from sealed_value where tenant_id = $1 and kind = 'secret'`,
    [world.tenant.id],
  )
  const place = `${world.tenant.id}/secret/s`
  expect(new Vault([Buffer.from(cells.two.masterKey, 'base64')]).open(sealed?.sealed ?? '', place)).toBe(
    'hunter2',
  )
  expect(() =>
    new Vault([Buffer.from(cells.one.masterKey, 'base64')]).open(sealed?.sealed ?? '', place),
  ).toThrow(/No master key/)
})

async function runnerKeyThere(): Promise<string> {
  const answer = must(
    await there.write('token', `r-${randomUUID()}`, { account: 'r', role: 'runner', pools: ['default'] }),
  )
  return String(answer.document['key'])
}

test('the cell that it left answers that it has moved, changes nothing, and removes what is left on request', async () => {
  const { waiting } = await traces()
  await cells.move(org)
  const here = new TestClient(cells.one.server.app, key)
  await until('the key to be refused', async () => (await here.get('/v1/whoami')).reason === 'TENANT_MOVED')
  const refused = await here.post('/v1/agent/queue', { agentId: waiting, description: 'x' })
  expect(refused).toMatchObject({ status: 503, reason: 'TENANT_MOVED' })
  expect(refused.text).toContain('"cell":"c2"')
  // Nor can what a server had begun before.
  const server = new Client({ connectionString: cells.one.server.database.serverUrl })
  await server.connect()
  await server.query(`select set_config('skein.tenant', $1, false)`, [world.tenant.id])
  for (const text of [
    `update agent set phase = phase`,
    `delete from timer`,
    `insert into audit (tenant_id, id, created_at, operation, kind, name, generation, owner_provider, account, role,
       token, justification, request_id) values (skein_current_tenant(), gen_random_uuid(), now(), '', '', '', 0, '', '', '', '', '', '')`,
  ])
    await expect(server.query(text)).rejects.toMatchObject({ code: 'SKM01' })
  await server.end()
  const operator = (await cells.one.server.createTenant()).operator
  const why = { justification: 'a test' }
  const resumed = await operator.post(`/v1/tenants/${world.tenant.id}/resume`, why)
  expect(resumed).toMatchObject({ status: 503, reason: 'TENANT_MOVING' })
  expect(await owners()).toEqual(['c2'])
})

test.each(STEPS)(
  'stopped after "%s", the next call goes on, and never do two cells serve it',
  async (step) => {
    await traces()
    const seen: string[][] = []
    const onStep = async (at: Step) => {
      seen.push(await owners())
      if (at === step) throw new Killed()
    }
    await expect(cells.move(org, { onStep })).rejects.toThrow(Killed)
    seen.push(await owners())
    const audit = await rowsIn(cells.one, 'audit')
    await cells.move(org, { onStep: async () => void seen.push(await owners()) })
    expect(seen.filter((found) => found.length > 1)).toEqual([])
    expect(await owners()).toEqual(['c2'])
    expect((await there.get('/v1/whoami')).status).toBe(200)
    expect(await rowsIn(cells.two, 'audit')).toEqual(expect.arrayContaining(audit))
    for (const table of ['agent', 'follow_up', 'timeline', 'resource', 'api_key', 'timer', 'run'])
      expect(await rowsIn(cells.two, table)).toEqual(await rowsIn(cells.one, table))
    // Once more changes nothing.
    await cells.move(org)
    expect(await owners()).toEqual(['c2'])
  },
)

test('every table that can have rows of a tenant is copied', async () => {
  const client = new Client({ connectionString: cells.one.server.database.ownerUrl })
  await client.connect()
  const tables = (await findTables(client)).filter(
    (table) => table.tenantColumn === 'tenant_id' && !table.isPartition,
  )
  for (const table of tables) {
    await client.query(await insertOf(client, table, world.tenant.id))
    await client.query(await insertOf(client, table, world.tenant.id)).catch(() => undefined)
  }
  await client.query('delete from lease where tenant_id = $1', [world.tenant.id])
  // Rows that are found by their agent need one.
  await client.query(
    `update agent set key = id::text, parent_key = '', is_terminal = true where tenant_id = $1`,
    [world.tenant.id],
  )
  const [agent] = (
    await client.query<{ id: string }>('select id from agent where tenant_id = $1', [world.tenant.id])
  ).rows
  for (const table of ['follow_up', 'leftover', 'run', 'timeline', 'timer'])
    await client.query(
      `update "${table}" set agent_id = $2 where ctid = (select min(ctid) from "${table}" where tenant_id = $1)
         and tenant_id = $1`,
      [world.tenant.id, agent?.id],
    )
  await client.query(
    `delete from follow_up where tenant_id = $1 and agent_id <> $2;`
      .replace(/\$1/g, `'${world.tenant.id}'`)
      .replace('$2', `'${agent?.id}'`),
  )
  for (const table of ['leftover', 'run', 'timeline', 'timer'])
    await client.query(`delete from "${table}" where tenant_id = $1 and agent_id <> $2`, [
      world.tenant.id,
      agent?.id,
    ])
  const vault = new Vault([Buffer.from(cells.one.masterKey, 'base64')])
  const { rows: values } = await client.query<{ kind: string; name: string }>(
    'select kind, name from sealed_value where tenant_id = $1',
    [world.tenant.id],
  )
  for (const { kind, name } of values)
    await client.query(
      'update sealed_value set sealed = $4 where tenant_id = $1 and kind = $2 and name = $3',
      [world.tenant.id, kind, name, vault.seal('x', `${world.tenant.id}/${kind}/${name}`)],
    )
  await client.query('delete from audit_seal where tenant_id = $1', [world.tenant.id])
  await client.query(`update run set is_leased = false where tenant_id = $1`, [world.tenant.id])
  // Not due, or the servers would take it up at once.
  await client.query(`update timer set due_at = now() + interval '1 day' where tenant_id = $1`, [
    world.tenant.id,
  ])
  // Old events are put back into the table first, and these servers have no blob store.
  await client.query(
    `update timeline_segment set agent_id = $2, first_sequence = 2, last_sequence = 2
     where ctid = (select min(ctid) from timeline_segment where tenant_id = $1)`,
    [world.tenant.id, agent?.id],
  )
  await expect(cells.move(org)).rejects.toThrow(/Set SKEIN_BLOBS as its servers have it/)
  expect(await owners()).toEqual(['c1'])
  await client.query('delete from timeline_segment where tenant_id = $1', [world.tenant.id])
  await cells.move(org)
  const apart = new Set(['outbox', 'outbox_reader', 'audit_seal', 'lease', 'timeline_segment'])
  for (const { name } of tables.filter((table) => !apart.has(table.name))) {
    const rows = await rowsIn(cells.one, name)
    expect({ name, isEmpty: rows.length === 0 }).toEqual({ name, isEmpty: false })
    expect({ name, rows: await rowsIn(cells.two, name) }).toEqual({ name, rows })
  }
  await client.end()
})

test('a row that is missing, added or changed in the copy is found, whatever the table', async () => {
  await traces()
  const planted: [string, string][] = [
    ['timer', 'delete from timer where tenant_id = $1'],
    ['timeline', `update timeline set actor = actor || '!' where tenant_id = $1`],
    [
      'resource',
      `insert into resource select tenant_id, kind, name || '2', generation, document, created_at, updated_at,
       updated_by, updated_by_provider from resource where tenant_id = $1`,
    ],
    ['outbox', 'delete from outbox where tenant_id = $1'],
    [
      'sealed_value',
      `update sealed_value set sealed = (select sealed from sealed_value where tenant_id = $1 and kind = 'integration' limit 1)
       where tenant_id = $1 and kind = 'secret'`,
    ],
    ['audit', `update audit set account = 'eve' where tenant_id = $1`],
  ]
  for (const [table, text] of planted) {
    const onStep = async (step: Step) => {
      if (step === 'completed') await cells.two.sql(text, [world.tenant.id])
    }
    const failed = cells.move(org, { onStep })
    await expect(failed).rejects.toThrow(new RegExp(`The copy is not complete:.*${table}`, 's'))
    expect(await owners()).toEqual([])
  }
  await cells.move(org)
  expect(await owners()).toEqual(['c2'])
})

/** More events of an agent that nobody starts, in the cell that it leaves. */
async function addEvents(agentId: AgentId, amount: number): Promise<void> {
  await cells.one.sql(
    `insert into timeline (tenant_id, agent_id, sequence, created_at, actor, event)
     select t.tenant_id, t.agent_id, 1000 + n, t.created_at, t.actor, t.event
     from (select t.* from timeline t join agent a on a.id = t.agent_id
       where t.tenant_id = $1 and a.key like '%/' || $2 limit 1) t, generate_series(1, $3::int) n`,
    [world.tenant.id, agentId.agent.join('/'), amount],
  )
}

test('what is written and deleted after the last copy is complete before the check', async () => {
  const { waiting } = await traces()
  await addEvents(waiting, 50)
  const changes: readonly string[] = [
    `update agent set listed = listed where tenant_id = $1`,
    `delete from timeline where tenant_id = $1 and sequence between 1010 and 1020`,
    `update timeline set actor = actor || '!' where tenant_id = $1 and sequence = 1001`,
    // As many rows as before.
    `with gone as (delete from resource where tenant_id = $1 and kind = 'persona' returning *)
     insert into resource select (jsonb_populate_record(null::resource, to_jsonb(gone) || '{"name": "r"}')).* from gone`,
    `delete from command where tenant_id = $1`,
  ]
  const tables = ['agent', 'timeline', 'resource', 'command', 'timer', 'follow_up', 'run', 'audit']
  let completed = 0
  const onStep = async (step: Step) => {
    if (step === 'left') for (const text of changes) await cells.one.sql(text, [world.tenant.id])
    if (step !== 'completed') return
    completed += 1
    for (const table of tables)
      expect({ table, rows: await rowsIn(cells.two, table) }).toEqual({
        table,
        rows: await rowsIn(cells.one, table),
      })
  }
  await cells.move(org, { onStep })
  expect(completed).toBe(1)
})

test('while a tenant is frozen, only the check reads all its rows', async () => {
  await addEvents(await world.spawn('old'), 60_000)
  const times = new Map<string, number>()
  await cells.move(org, { onStep: async (step) => void times.set(step, performance.now()) })
  const between = (one: Step, other: Step) => (times.get(other) ?? NaN) - (times.get(one) ?? NaN)
  expect(between('fenced', 'completed') / between('completed', 'checked')).toBeLessThan(0.6)
})

test('a target that activates too soon would be seen', async () => {
  const seen: string[][] = []
  const onStep = async (step: Step) => {
    if (step === 'copied')
      await cells.two.sql('update tenant set move_step = null, suspended_at = null where id = $1', [
        world.tenant.id,
      ])
    seen.push(await owners())
    if (step === 'draining') throw new Killed()
  }
  await expect(cells.move(org, { onStep })).rejects.toThrow(Killed)
  expect(seen.some((found) => found.length > 1)).toBe(true)
})

const makeOlder = () => makeAuditOlder(cells.one, world.tenant.id)

test('seals of the audit log are made again with the key of the other cell', async () => {
  await traces()
  await makeOlder()
  await sealAll(cells.one)
  must(await world.admin.write('persona', 'q', { prompt: 'not sealed yet' }))
  expect((await rowsIn(cells.one, 'audit_seal')).length).toBeGreaterThan(0)
  await cells.move(org)
  await sealAll(cells.two)
  expect((await rowsIn(cells.two, 'audit_seal')).length).toBeGreaterThan(0)
  const owner = openResources(cells.two.server.config, cells.two.server.database.ownerUrl)
  const problems: string[] = []
  for await (const log of verifyAudit(owner, 400)) if (log.org === org) problems.push(...log.problems)
  await owner.database.close()
  expect(problems).toEqual([])
})

test('an audit log that somebody changed is not moved', async () => {
  await traces()
  await makeOlder()
  await sealAll(cells.one)
  await cells.one.sql(`update audit set account = 'eve' where tenant_id = $1`, [world.tenant.id])
  await expect(cells.move(org)).rejects.toThrow(/does not match its seals/)
  expect(await owners()).toEqual(['c1'])
})

test('what cannot be moved is refused before anything changes', async () => {
  await traces()
  const taken = await cells.two.server.createTenant(org)
  await expect(cells.move(org)).rejects.toThrow(/already has a tenant/)
  await cells.two.sql('update tenant set org = $2 where id = $1', [taken.id, randomUUID()])
  await cells.two.sql(`insert into tenant (id, provider, org) values ($1, 'PROVIDER_CODEHOST_APP', $2)`, [
    world.tenant.id,
    randomUUID(),
  ])
  await expect(cells.move(org)).rejects.toThrow(/already has a tenant/)
  await cells.two.sql('delete from tenant where id = $1', [world.tenant.id])
  await expect(cells.move(org, {}, [cells.one, { ...cells.one, name: 'c3' }])).rejects.toThrow(
    /same database/,
  )
  await expect(cells.move(org, {}, [cells.one, { ...cells.two, name: 'c1' }])).rejects.toThrow(
    /different names/,
  )
  const wrong = { masterKey: randomBytes(32).toString('base64') }
  await expect(cells.move(org, {}, [{ ...cells.one, ...wrong }, cells.two])).rejects.toThrow(/does not open/)
  must(await taken.admin.write('secret', 's', { value: 'x' }))
  await expect(cells.move(org, {}, [cells.one, { ...cells.two, ...wrong }])).rejects.toThrow(
    /not the one that its servers use/,
  )
  await cells.two.sql(`insert into skein_migration (number, name, checksum) values (9999, 'x', 'x')`)
  await expect(cells.move(org)).rejects.toThrow(/different schemas/)
  await cells.two.sql('delete from skein_migration where number = 9999')
  await expect(cells.move('nobody')).rejects.toThrow(/no tenant nobody/)
  expect(await owners()).toEqual(['c1'])
  expect((await world.admin.get('/v1/whoami')).status).toBe(200)
  await cells.move(org)
})

test('only one process at a time moves a tenant', async () => {
  const onStep = async (step: Step) => {
    if (step !== 'copied' && step !== 'frozen') return
    await expect(cells.move(org)).rejects.toThrow(/Somebody else is moving/)
    await expect(cancel()).rejects.toThrow(/Somebody else is moving/)
  }
  await cells.move(org, { onStep })
  expect(await owners()).toEqual(['c2'])
})

const cancel = () =>
  cells.between(cells.one, cells.two, (between) =>
    cancelMove({ ...between, tenant: world.tenant.tenant, onProgress: () => {} }),
  )

test('a tenant comes back from a move to a cell that is down', async () => {
  const onStep = async (at: Step) => {
    if (at === 'frozen') throw new Killed()
  }
  await expect(cells.move(org, { onStep })).rejects.toThrow(Killed)
  await cells.between(cells.one, cells.two, ({ source }) =>
    cancelMove({ source, target: { name: 'c2' }, tenant: world.tenant.tenant, onProgress: () => {} }),
  )
  expect(await owners()).toEqual(['c1'])
  await until('the key to work', async () => (await world.admin.get('/v1/whoami')).status === 200)
  // Once that cell is up, what was copied can be deleted.
  await cancel()
  const [left] = await cells.two.sql<{ closed: boolean }>(
    'select closed_at is not null as closed from tenant where id = $1',
    [world.tenant.id],
  )
  expect(left?.closed).toBe(true)
})

test.each(['prepared', 'draining', 'frozen', 'checked'] as const)(
  'a move that stopped after "%s" is cancelled, and the tenant goes on where it was',
  async (step) => {
    const { waiting } = await traces()
    const onStep = async (at: Step) => {
      if (at === step) throw new Killed()
    }
    await expect(cells.move(org, { onStep })).rejects.toThrow(Killed)
    await cancel()
    await cancel()
    expect(await owners()).toEqual(['c1'])
    await until('the key to work', async () => (await world.admin.get('/v1/whoami')).status === 200)
    must(await world.queue(waiting, { description: 'goes on' }))
    const [left] = await cells.two.sql<{ closed: boolean }>(
      'select closed_at is not null as closed from tenant where id = $1',
      [world.tenant.id],
    )
    expect(left?.closed).toBe(true)
  },
)

test('a tenant that has left cannot be called back by cancelling', async () => {
  await cells.move(org)
  await expect(cancel()).rejects.toThrow(/has left already/)
  expect(await owners()).toEqual(['c2'])
})

test('the other database goes away in the middle: nothing is lost, and the next call goes on', async () => {
  await traces()
  const onStep = async (step: Step) => {
    if (step === 'fenced')
      await cells.two.sql(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'skein-move' and datname = current_database()`,
      )
  }
  await expect(cells.move(org, { onStep })).rejects.toThrow(/database/)
  expect(await owners()).toEqual([])
  await cells.move(org)
  expect(await owners()).toEqual(['c2'])
})

test('a tenant does not come back, or its move end, before what it left behind is removed', async () => {
  const fences = async () =>
    (await cells.one.sql(`select from pg_trigger where tgname like 'move_%' and tgparentid = 0`)).length
  const before = await fences()
  await cells.move(org)
  const raised = await fences()
  expect(raised).toBeGreaterThan(before)
  await expect(cells.move(org, {}, [cells.two, cells.one])).rejects.toThrow(/still has what the tenant/)
  const back = cells.between(cells.two, cells.one, (between) =>
    cancelMove({ ...between, tenant: world.tenant.tenant, onProgress: () => {} }),
  )
  await expect(back).rejects.toThrow(/still has what the tenant/)
  expect(await owners()).toEqual(['c2'])
  expect(await fences()).toBe(raised)
})

test('a tenant that was suspended arrives suspended', async () => {
  const { operator } = await cells.one.server.createTenant()
  must(await operator.post(`/v1/tenants/${world.tenant.id}/suspend`, { justification: 'a test' }))
  await cells.move(org)
  expect(await owners()).toEqual([])
  expect((await there.get('/v1/whoami')).reason).toBe('TENANT_SUSPENDED')
})

test('a shared runner gets no runs of a tenant that is drained', async () => {
  const home = await cells.one.server.createTenant()
  const shared = home.client(await runnerKey(home, 'shared', { allTenants: true }))
  const polled = async () => {
    const { body } = must(await shared.post('/v1/runner/poll', { capacity: 100 }))
    return (body['runs'] as { agentId: AgentId }[]).filter(({ agentId }) => agentId.tenant?.org === org)
      .length
  }
  await world.spawn('next')
  const onStep = async (step: Step) => {
    if (step !== 'draining') return
    expect(await polled()).toBe(0)
    throw new Killed()
  }
  await expect(cells.move(org, { onStep })).rejects.toThrow(Killed)
  await cancel()
  expect(await polled()).toBe(1)
})
