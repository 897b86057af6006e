import type { AgentId, Assignment } from '@skein/contract'
import { Maintenance } from '@skein/engine'
import { removeExpired } from '@skein/store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld, must } from '../agents/agent-world.ts'

const DAY_MS = 86_400_000
let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

/** What every server does once an hour, a retention of 100 days for everything. */
async function removeOld(): Promise<void> {
  const before = Date.now() - 100 * DAY_MS
  const expiry = {
    agents: before,
    versions: before,
    spend: before,
    firings: before,
    triggerDeliveries: before,
    replacedKeys: before,
    codeHostCalls: before,
    pullRequests: before,
    auditSeals: before,
    leavers: before,
    invitations: before,
  }
  await removeExpired(world.server.engine.database, expiry, {
    isStopped: () => false,
    onError: (error) => expect.unreachable(String(error)),
  })
}

async function finish(name: string | readonly string[], fields = {}): Promise<AgentId> {
  const { agentId, run } = await world.running(name, fields)
  await world.complete(run, { reason: 'finished', session: 'saved' })
  return agentId
}

/** These agents ended this long ago. Runners have removed their part, unless it says otherwise. */
async function age(name: string, days: number, isRemoved = true): Promise<void> {
  await world.sql(
    `update leftover l set ended_at = now() - $2 * interval '1 day', is_removed = $3
     from agent a where a.id = l.agent_id and a.key like '%/' || $1`,
    [name, days, isRemoved],
  )
}

const statusOf = async (agentId: AgentId) => (await world.admin.post('/v1/agent/status', { agentId })).status

const rowsOf = (table: string, id: string) => world.sql(`select from ${table} where agent_id = $1`, [id])

async function uuidOf(name: string): Promise<string> {
  const [row] = await world.sql(`select id from agent where key like '%/' || $1`, [name])
  return String(row?.['id'])
}

async function recordDiff({ lease }: Assignment): Promise<void> {
  const facts = { repo: 'r', branch: 'b', commit: 'c', scope: 'branch', baseBranch: '', baseCommit: '' }
  const file = {
    path: 'p',
    oldPath: '',
    change: 'added',
    kind: 'text',
    added: 1,
    removed: 0,
    isOmitted: false,
  }
  const files = [{ ...file, patch: '@@ -0,0 +1 @@\n+x\n' }]
  const body = { lease, ...facts, fileCount: 1, added: 1, removed: 0, files }
  must(await world.runner.post('/v1/runner/diff', body))
}

test('an agent is deleted with its messages and timeline when its retention ends, not before', async () => {
  const { agentId: old, run } = await world.running('old')
  await recordDiff(run)
  await world.complete(run, { reason: 'finished', session: 'saved' })
  const fresh = await finish('fresh')
  const id = await uuidOf('old')
  await age('old', 101)
  await age('fresh', 99)
  await removeOld()
  expect(await statusOf(old)).toBe(404)
  expect(await statusOf(fresh)).toBe(200)
  for (const table of ['follow_up', 'timeline', 'leftover', 'run', 'lease', 'diff', 'diff_patch']) {
    expect(await rowsOf(table, id)).toEqual([])
  }
  // Its name is free again.
  expect(await statusOf(await world.spawn('old'))).toBe(200)
})

test('an agent whose conversation no runner has removed yet is kept, so that it can still be removed', async () => {
  const agentId = await finish('held')
  await age('held', 200, false)
  await removeOld()
  expect(await statusOf(agentId)).toBe(200)
})

test('a tree is deleted as a whole, after its last agent', async () => {
  const { agentId: root, run } = await world.running('parent')
  const child = await finish(['parent', 'child'])
  await world.complete(run, { reason: 'finished' })
  await age('parent', 200)
  await age('child', 50)
  await removeOld()
  expect([await statusOf(root), await statusOf(child)]).toEqual([200, 200])
  // Not looked at again for a day.
  await age('child', 200)
  await removeOld()
  expect(await statusOf(root)).toBe(200)
  await world.sql(`update leftover set claimed_until = '-infinity'`)
  await removeOld()
  expect([await statusOf(root), await statusOf(child)]).toEqual([404, 404])
})

test('an agent that is live again is kept, and so is one that a command is changing right now', async () => {
  const again = await finish('again')
  await age('again', 200)
  await world.spawn('again')
  await removeOld()
  expect(await statusOf(again)).toBe(200)

  const busy = await finish('busy')
  await age('busy', 200)
  const [agent] = await world.sql(`select tenant_id, key from agent where key like '%/busy'`)
  await world.server.engine.database.withoutTenant(async (transaction) => {
    await transaction.query(
      `select pg_advisory_xact_lock(hashtextextended('${String(agent?.['tenant_id'])}/${String(agent?.['key'])}', 2))`,
    )
    await removeOld()
  })
  expect(await statusOf(busy)).toBe(200)
})

test('a new incarnation and an end in the same command leave no record of an end for the living', async () => {
  const { agentId: parent, run } = await world.running('boss')
  await world.running(['boss', 'worker'])
  await world.complete(run, { reason: 'finished' })
  await world.spawn('boss')
  const rows = await world.sql(
    `select a.key from leftover l join agent a on a.id = l.agent_id where not a.is_terminal`,
  )
  expect(rows).toEqual([])
  expect(await statusOf(parent)).toBe(200)
})

test('an old version of a resource is deleted, the current one never, and nothing stays of a deleted resource', async () => {
  for (const prompt of ['one', 'two', 'three']) must(await world.admin.write('persona', 'kept', { prompt }))
  must(await world.admin.write('persona', 'gone', { prompt: 'secret plan' }))
  must(await world.admin.delete('/v1/catalog/persona/gone'))
  const generations = () =>
    world.sql(
      `select name, generation::int from resource_version where kind = 'persona' order by name, generation`,
    )
  await removeOld()
  expect(await generations()).toHaveLength(5)
  const past = `now() - interval '200 days'`
  await world.sql(`update resource_version set updated_at = ${past} where generation <= 2`)
  await world.sql(`update resource set updated_at = ${past} where name = 'gone'`)
  await removeOld()
  // The second was replaced only now.
  expect(await generations()).toEqual([
    { name: 'kept', generation: 2 },
    { name: 'kept', generation: 3 },
  ])
  await world.sql(`update resource_version set updated_at = ${past}`)
  await removeOld()
  expect(await generations()).toEqual([{ name: 'kept', generation: 3 }])
})

test('hourly totals are deleted when their retention ends', async () => {
  await finish('spender')
  const [before] = await world.sql('select count(*)::int as amount from spend')
  await world.sql(
    `insert into spend
     select distinct on (part) tenant_id, now() - interval '101 days', workspace, owner_provider, account, part, 1, 1, 1,
       1, 1, 1, 1 from spend`,
  )
  await removeOld()
  expect(await world.sql('select count(*)::int as amount from spend')).toEqual([before])
})

test('a long timeline is deleted in several short steps', async () => {
  const agentId = await finish('talker')
  const id = await uuidOf('talker')
  await world.sql(
    `insert into timeline (tenant_id, agent_id, sequence, created_at, actor, event)
     select $1, $2, 1000 + n, now(), '', '{}' from generate_series(1, 45000) n`,
    [world.tenant.id, id],
  )
  await age('talker', 200)
  await removeOld()
  expect(await rowsOf('timeline', id)).toEqual([])
  expect(await statusOf(agentId)).toBe(404)
})

test('the patches of an agent are deleted in several short steps', async () => {
  const agentId = await finish('pusher')
  const id = await uuidOf('pusher')
  await world.sql(
    `insert into diff_patch (tenant_id, agent_id, diff_id, file, patch)
     select $1, $2, gen_random_uuid(), n, 'x' from generate_series(1, 120) n`,
    [world.tenant.id, id],
  )
  await age('pusher', 300)
  const events = (await rowsOf('timeline', id)).length
  await world.sql(`select remove_expired_trees(now() - interval '250 days', 10, $1)`, [events + 50])
  expect(await rowsOf('diff_patch', id)).toHaveLength(70)
  expect(await statusOf(agentId)).toBe(200)
  await removeOld()
  expect(await rowsOf('diff_patch', id)).toEqual([])
  expect(await statusOf(agentId)).toBe(404)
})

test('a server deletes what has expired when it starts', async () => {
  const agentId = await finish('startup')
  await age('startup', 200)
  const retention = { audit: 400, timeline: 400, agent: 100, history: 400, spend: 400 }
  const errors: unknown[] = []
  const maintenance = new Maintenance(world.server.engine, retention, (error) => errors.push(error))
  await maintenance.start()
  await expect.poll(() => statusOf(agentId)).toBe(404)
  await maintenance.stop()
  expect(errors).toEqual([])
})

test('what cannot be deleted is reported, and does not keep the rest', async () => {
  const id = await finish('behind-a-fault')
  await age('behind-a-fault', 101)
  const errors: unknown[] = []
  // A time that PostgreSQL does not have.
  const asked = { versions: -8.64e15, agents: Date.now() - 100 * DAY_MS }
  await removeExpired(world.server.engine.database, asked, {
    isStopped: () => false,
    onError: (error) => errors.push(error),
  })
  expect(errors).toHaveLength(1)
  expect(await statusOf(id)).toBe(404)
})
