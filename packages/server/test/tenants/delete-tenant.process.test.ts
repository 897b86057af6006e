import { deleteTenant, exportTenant, type DeletedTenant } from '@skein/engine'
import type { Leftover } from '@skein/contract'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { openResources } from '../../src/resources.ts'
import { AgentWorld, must } from '../agents/agent-world.ts'

/** In everything the first tenant writes. */
const MARK = 'zebra-crossing'
const SECRET = 'hunter2-hunter2'

let world: AgentWorld
let neighbour: AgentWorld
let owner: ReturnType<typeof openResources>
let client: Client

beforeAll(async () => {
  world = await AgentWorld.start()
  neighbour = await AgentWorld.in(world.server, await world.server.createTenant())
  const { ownerUrl } = world.server.database
  owner = openResources(readConfig({ SKEIN_MASTER_KEY: Buffer.alloc(32).toString('base64') }), ownerUrl)
  client = new Client({ connectionString: ownerUrl })
  await client.connect()
  for (const each of [world, neighbour]) await leaveTraces(each, each === world ? MARK : 'other')
})

afterAll(async () => {
  await client.end()
  await owner.database.close()
  await world.close()
})

/** Rows in as many tables as callers can reach. */
async function leaveTraces(of: AgentWorld, mark: string): Promise<void> {
  must(await of.admin.write('persona', `p-${mark}`, { prompt: mark }))
  must(await of.admin.write('persona', `p-${mark}`, { prompt: `${mark} again` }))
  must(await of.admin.write('secret', `s-${mark}`, { value: SECRET }))
  const { agentId, run } = await of.running(`a-${mark}`, { description: mark })
  must(await of.queue(agentId, { description: mark }))
  await of.running([`a-${mark}`, 'child'], { description: mark })
  await of.complete(run, { reason: 'finished', session: mark, message: mark })
  const ended = await of.running(`b-${mark}`, { description: mark })
  await of.complete(ended.run, { reason: 'finished', session: mark })
  const { agentId: live } = await of.running(`c-${mark}`, { description: mark })
  const deliverAt = new Date(Date.now() + 3_600_000).toISOString()
  must(await of.queue(live, { description: mark, deliverAt }))
}

/** The whole database, as a dump has it. */
async function dump(): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  )
  const texts: string[] = []
  for (const { name } of rows) {
    const found = await client.query<{ text: string }>(`select t::text as text from "${name}" t`)
    texts.push(...found.rows.map(({ text }) => text))
  }
  return texts.join('\n')
}

const remove = (fields: Partial<Parameters<typeof deleteTenant>[1]> = {}): Promise<DeletedTenant> =>
  deleteTenant(owner, {
    tenant: world.tenant.tenant,
    patienceMs: 0,
    abandonsLeftovers: false,
    settleMs: 3_000,
    onProgress: () => {},
    ...fields,
  })

test('an export has every row of the tenant, and neither credentials nor anything of others', async () => {
  const lines: object[] = []
  const { id, tenant } = world.tenant
  await exportTenant(owner, { id, tenant }, async (line) => void lines.push(line))
  const text = JSON.stringify(lines)
  expect(lines[0]).toMatchObject({ format: 'skein-tenant-1', tenant: world.tenant.tenant })
  for (const table of [
    'resource',
    'resource_version',
    'agent',
    'follow_up',
    'timeline',
    'audit',
    'timer',
    'spend',
  ]) {
    expect(lines).toContainEqual(expect.objectContaining({ table }))
  }
  expect(text).toContain(MARK)
  for (const hidden of ['secret_sha256', '"sealed"', SECRET, neighbour.tenant.id])
    expect(text).not.toContain(hidden)
})

test('a tenant that does not exist is not deleted', async () => {
  const tenant = { ...world.tenant.tenant, org: 'nobody' }
  expect(await remove({ tenant })).toEqual({ state: 'not-found' })
})

test('the tenant is closed at once, and kept until its runners have removed what they hold', async () => {
  expect(await remove()).toMatchObject({ state: 'held', held: [{ pool: 'default' }] })
  expect((await world.admin.get('/v1/whoami')).status).toBe(401)
  expect((await world.tenant.operator.get('/v1/whoami')).status).toBe(401)
  expect(
    await world.sql(`select from agent where tenant_id = $1 and not is_terminal`, [world.tenant.id]),
  ).toEqual([])
  expect(await dump()).toContain(MARK)
  // Nobody else notices.
  expect((await neighbour.admin.get('/v1/whoami')).status).toBe(200)
})

test('after that nothing of it is in the database, and everything of others is', async () => {
  const removed: string[] = []
  for (;;) {
    const { body } = must(await world.runner.post('/v1/runner/leftovers', { removed: removed.splice(0) }))
    const leftovers = body['leftovers'] as Leftover[]
    if (leftovers.length === 0) break
    removed.push(...leftovers.map(({ id }) => id))
  }
  const countOf = async () =>
    (
      await world.sql('select count(*)::int as amount from timeline where tenant_id = $1', [
        neighbour.tenant.id,
      ])
    )[0]
  const before = await countOf()
  const result = await remove()
  expect(result).toMatchObject({ state: 'deleted', tenantId: world.tenant.id })
  const left = await dump()
  for (const gone of [MARK, world.tenant.id, world.tenant.tenant.org]) expect(left).not.toContain(gone)
  expect(left).toContain(neighbour.tenant.id)
  expect(await countOf()).toEqual(before)
  expect((await world.runner.post('/v1/runner/poll', { capacity: 1 })).status).toBe(401)
  expect((await neighbour.admin.get('/v1/whoami')).status).toBe(200)
  expect(await remove()).toEqual({ state: 'not-found' })
})

test('an operator who abandons what runners hold need not wait', async () => {
  const result = await remove({ tenant: neighbour.tenant.tenant, abandonsLeftovers: true })
  expect(result.state).toBe('deleted')
  expect(await dump()).not.toContain(neighbour.tenant.id)
})
