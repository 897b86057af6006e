import { createHmac, randomUUID } from 'node:crypto'
import type { TenantEntry, TenantExportLine } from '@skein/contract'
import { openTenantExport, TenantRemover } from '@skein/engine'
import { waitFor, type TestAnswer, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld, must, runnerKey } from '../agents/agent-world.ts'
import { TriggerSender } from '../automations/trigger-sender.ts'
import { expectSameAnswer } from '../same-answer.ts'
import { LiveClient } from '../agents/live-client.ts'

const WHY = { justification: 'a test' }

/** The operators' own tenant. */
let home: TestTenant
let server: TestServer
let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
  server = world.server
  home = await server.createTenant()
})

afterAll(() => server.close())

const suspend = (id: string, by = home.operator) => by.post(`/v1/tenants/${id}/suspend`, WHY)
const resume = (id: string, by = home.operator) => by.post(`/v1/tenants/${id}/resume`, WHY)
const remove = (id: string, org: string, query: Record<string, string> = {}) =>
  home.operator.delete(`/v1/tenants/${id}`, { query: { confirm: org, ...WHY, ...query } })
const create = (org: string): Promise<TestAnswer> =>
  home.operator.post('/v1/tenants', { tenant: { provider: 'PROVIDER_CODEHOST_APP', org }, ...WHY })
const entryOf = (answer: TestAnswer) => must(answer).body as unknown as TenantEntry

/** Keys are known for 2.5 seconds at most. */
const until = (what: string, isSo: () => Promise<boolean>) =>
  waitFor(async () => (await isSo()) || undefined, { what, timeoutMs: 8_000 })

test('an operator creates a tenant, finds it and gives it its first key; doing it twice changes nothing', async () => {
  const org = `new ${randomUUID()} 🦆`
  const created = entryOf(await create(org))
  expect(created).toMatchObject({ tenant: { org }, state: 'TENANT_STATE_ACTIVE', suspendTime: '' })
  expect(entryOf(await create(org))).toEqual(created)
  const both = await Promise.all([create(`${org} 2`), create(`${org} 2`)])
  expect(entryOf(both[0]).id).toBe(entryOf(both[1]).id)
  const found = must(await home.operator.get('/v1/tenants', { query: { org } })).body['tenants']
  expect(found).toEqual([created])
  expect(must(await home.operator.get(`/v1/tenants/${created.id}`)).body).toEqual({
    tenant: created,
    held: [],
  })
  const ref = { tenant: created.tenant }
  const token = await home.operator.write(
    'token',
    'first',
    { account: 'ada', role: 'admin' },
    { ref, ...WHY },
  )
  const admin = home.client(String(must(token).document['key']))
  expect((await admin.get('/v1/whoami')).body).toMatchObject({ tenant: { org }, role: 'admin' })
  const audit = must(await home.operator.get('/v1/audit', { query: { operation: 'createTenant' } }))
  expect(audit.body['entries']).toContainEqual(
    expect.objectContaining({ name: `codehost_app:${org}`, justification: WHY.justification, times: '1' }),
  )
})

test('the list has every tenant, page by page', async () => {
  const ids: string[] = []
  let pageToken = ''
  do {
    const { body } = must(await home.operator.get('/v1/tenants', { query: { pageSize: '2', pageToken } }))
    ids.push(...(body['tenants'] as TenantEntry[]).map(({ id }) => id))
    pageToken = String(body['nextPageToken'])
  } while (pageToken !== '')
  expect(ids).toEqual([...new Set(ids)].toSorted())
  expect(ids).toEqual(expect.arrayContaining([home.id, world.tenant.id]))
})

test('only operators manage tenants, never their own, and always with a reason', async () => {
  const { id } = world.tenant
  const member = await world.tenant.as('member')
  for (const client of [world.admin, home.admin, member, world.runner]) {
    const answers = [
      await client.get('/v1/tenants'),
      await client.get(`/v1/tenants/${id}`),
      await client.get(`/v1/tenants/${id}/export`),
      await client.post('/v1/tenants', { tenant: world.tenant.tenant, ...WHY }),
      await suspend(id, client),
      await resume(id, client),
      await client.delete(`/v1/tenants/${id}`, { query: { confirm: world.tenant.tenant.org, ...WHY } }),
    ]
    expect(answers.map(({ reason }) => reason)).toEqual(answers.map(() => 'PERMISSION_MISSING'))
  }
  expect((await suspend(home.id)).reason).toBe('TENANT_OWN')
  expect((await remove(home.id, home.tenant.org)).reason).toBe('TENANT_OWN')
  expect((await home.operator.post(`/v1/tenants/${id}/suspend`, {})).reason).toBe('JUSTIFICATION_REQUIRED')
  expect((await home.operator.get(`/v1/tenants/${id}/export`)).reason).toBe('JUSTIFICATION_REQUIRED')
  expect((await remove(id, 'another name')).reason).toBe('REQUEST_INVALID')
  for (const wrong of [randomUUID(), 'acme', '%00'])
    expect((await suspend(wrong)).status).toBeOneOf([400, 404])
  for (const org of ['', 'a\u0000b', 'x'.repeat(256), '\uD800']) expect((await create(org)).status).toBe(400)
  const unspecified = { tenant: { provider: 'PROVIDER_UNSPECIFIED', org: 'x' }, ...WHY }
  expect((await home.operator.post('/v1/tenants', unspecified)).status).toBe(400)
  expect((await world.admin.get('/v1/whoami')).status).toBe(200)
})

test('a suspended tenant is refused with what to do, holds its runs, and goes on when it is resumed', async () => {
  const { id } = world.tenant
  const shared = home.client(await runnerKey(home, 'shared', { allTenants: true }))
  const { agentId, run } = await world.running('held')
  const waiting = await world.spawn('waiting')
  const shown = { agent: agentId.agent, workspace: agentId.workspace, account: agentId.account }
  const link = must(await world.admin.write('share-link', 'look', shown))
  const guest = home.client(String(link.document['key']))
  const runKey = home.client(run.runKey)
  const first = entryOf(await suspend(id))
  expect(first).toMatchObject({ id, state: 'TENANT_STATE_SUSPENDED' })
  expect(entryOf(await suspend(id))).toEqual(first)
  const isRefused = async (client = world.admin) => {
    const { status, reason } = await client.get('/v1/whoami')
    return status === 403 && reason === 'TENANT_SUSPENDED'
  }
  for (const client of [world.admin, world.tenant.operator, world.runner, runKey, guest])
    await until('every key to be refused', () => isRefused(client))
  expect((await world.admin.get('/v1/whoami')).text).toContain('Ask the operators of this installation')
  const wrongSecret = `${world.admin.key?.slice(0, -4)}AAAA`
  expect((await home.client(wrongSecret).get('/v1/whoami')).reason).toBe('CREDENTIAL_INVALID')
  // A runner of all tenants gets nothing of it either, and lets go of what it has.
  expect(await world.poll(10, shared)).toEqual([])
  await world.expireLease(run)
  await world.sweep()
  // Operators can look, and nothing counts as a failure.
  const status = await world.status(agentId, home.operator)
  expect(status.phase).toBe('PHASE_PENDING')
  expect(await world.poll(10, shared)).toEqual([])

  must(await resume(id))
  must(await resume(id))
  await until('keys to work', async () => (await world.admin.get('/v1/whoami')).status === 200)
  await until('the runner to work', async () => (await world.runner.get('/v1/whoami')).status === 200)
  expect((await world.events(agentId, 'run.paused'))[0]).toMatchObject({
    message: 'The tenant was suspended.',
  })
  expect(await world.events(agentId, 'run.attempt-lost')).toEqual([])
  expect((await world.take(agentId)).attempt).toBe(2)
  expect((await world.take(waiting)).attempt).toBe(1)
  const audit = must(await world.admin.get('/v1/audit', { query: { kind: 'tenant' } }))
  expect(audit.body['entries']).toMatchObject([
    { operation: 'resumeTenant', account: 'olga', ...WHY },
    { operation: 'suspendTenant', account: 'olga', ...WHY },
  ])
})

test('a heartbeat of a suspended tenant’s run tells the runner to stop, but what it completed counts', async () => {
  const tenant = await server.createTenant()
  const other = await AgentWorld.in(server, tenant)
  const shared = home.client(await runnerKey(home, 'shared-2', { allTenants: true }))
  await other.spawn('one')
  await other.spawn('two')
  const [one, two] = await waitFor(
    async () => {
      const runs = await other.poll(10, shared)
      return runs.length === 2 ? runs : undefined
    },
    { what: 'two runs' },
  )
  if (!one || !two) throw new Error('Two runs were awaited')
  must(await suspend(tenant.id))
  const beat = must(await other.beat(one, {}, shared)).body['runs'] as { isCurrent: boolean }[]
  expect(beat[0]?.isCurrent).toBe(false)
  expect(await other.complete(two, { reason: 'finished' }, shared)).toBe(true)
  must(await resume(tenant.id))
})

test('a run whose runner let go while its tenant was suspended is paused, also if it was resumed since', async () => {
  const tenant = await server.createTenant()
  const other = await AgentWorld.in(server, tenant)
  const { agentId, run } = await other.running('brief')
  must(await suspend(tenant.id))
  must(await resume(tenant.id))
  await other.expireLease(run)
  await other.sweep()
  await until('keys to work', async () => (await tenant.admin.get('/v1/whoami')).status === 200)
  expect(await other.events(agentId, 'run.paused')).toHaveLength(1)
  expect(await other.events(agentId, 'run.attempt-lost')).toEqual([])
})

test('nothing of a tenant is handed out from the moment it is deleted, also what was held before', async () => {
  for (const isSuspended of [true, false]) {
    const tenant = await server.createTenant()
    const { org } = tenant.tenant
    const other = await AgentWorld.in(server, tenant)
    const shared = home.client(await runnerKey(home, `late-${isSuspended}`, { allTenants: true }))
    await other.sql(`insert into endpoint (tenant_id, integration) values ($1, 'hook')`, [tenant.id])
    await other.sql(`insert into trigger_state (tenant_id, trigger) values ($1, 'bell')`, [tenant.id])
    const takeDue = async () => {
      const due = `due_at = '-infinity', held_until = '-infinity' where tenant_id = $1`
      for (const table of ['endpoint', 'trigger_state'])
        await other.sql(`update ${table} set ${due}`, [tenant.id])
      const taken = await other.sql(
        `select tenant_id from take_due_endpoints(1000, 1, '{}') union all
         select tenant_id from take_due_triggers(1000, 1, '{}')`,
      )
      return taken.filter((row) => row['tenant_id'] === tenant.id).length
    }
    expect(await takeDue()).toBe(2)
    await other.spawn('queued')
    if (isSuspended) must(await suspend(tenant.id))
    expect(entryOf(await remove(tenant.id, org))).toMatchObject({
      state: 'TENANT_STATE_DELETING',
      suspendTime: '',
    })
    const orgs = (await other.poll(10, shared)).map(({ agentId }) => agentId.tenant.org)
    expect(orgs).not.toContain(org)
    // Its runners still have to remove what they hold.
    await until('the runner to work', async () => (await other.runner.get('/v1/whoami')).status === 200)
    expect(await other.poll(10)).toEqual([])
    expect(await takeDue()).toBe(0)
  }
})

test('webhooks for triggers and code hosts of a tenant that is being deleted are answered as if it did not exist', async () => {
  const tenant = await server.createTenant()
  const { org } = tenant.tenant
  const other = await AgentWorld.in(server, tenant)
  const sender = await TriggerSender.create(other, { spawn: { description: 'Work.' } })
  must(await tenant.admin.write('secret', 'hook-key', { value: 'a-secret-of-the-host' }))
  const host = {
    type: 'gitea',
    url: 'https://git.example',
    credential: 'hook-key',
    webhookSecret: 'hook-key',
  }
  must(await tenant.admin.write('code-host', 'forge', host))
  const toHost = (name: string) => {
    const text = JSON.stringify({ action: 'opened' })
    const signature = createHmac('sha256', 'a-secret-of-the-host').update(text).digest('hex')
    const headers = {
      'x-hub-signature-256': `sha256=${signature}`,
      'x-github-event': 'issues',
      'x-github-delivery': randomUUID(),
    }
    return server.anonymous.post(`/v1/code-host/codehost_app:${name}/forge`, text, { headers })
  }
  expect((await sender.post({ action: 'opened' })).status).toBe(202)
  expect((await toHost(org)).status).toBeLessThan(300)
  must(await remove(tenant.id, org))
  const refused = await sender.post({ action: 'opened' })
  expect(refused.status).toBeGreaterThanOrEqual(400)
  expectSameAnswer(refused, await server.anonymous.post('/v1/trigger/codehost_app:nobody/tickets', '{}'))
  expectSameAnswer(await toHost(org), await toHost('nobody'))
})

test('schedules of a suspended tenant fire when it is resumed', async () => {
  const tenant = await server.createTenant()
  const other = await AgentWorld.in(server, tenant)
  must(await tenant.admin.write('profile', 'night', {}))
  must(await tenant.admin.write('workspace', 'shop', {}))
  const spawn = { description: 'Tick.' }
  const document = { cron: '0 0 1 1 *', profile: 'night', workspace: 'shop', spawn }
  must(await tenant.admin.write('schedule', 'yearly', document))
  must(await tenant.admin.post('/v1/schedule/yearly/run', {}))
  must(await suspend(tenant.id))
  await server.fireSchedules()
  expect(await other.sql('select from agent where tenant_id = $1', [tenant.id])).toEqual([])
  must(await resume(tenant.id))
  await server.fireSchedules()
  expect(await other.sql('select from agent where tenant_id = $1', [tenant.id])).toHaveLength(1)
})

test('an export is one stream with an end, without credentials and without anything of others', async () => {
  const tenant = await server.createTenant()
  must(await tenant.admin.write('persona', 'zebra', { prompt: 'stripes' }))
  must(await tenant.admin.write('secret', 'hidden', { value: 'hunter2-hunter2' }))
  const live = await LiveClient.of(server, home.operator.key)
  const lines: TenantExportLine[] = []
  const headers = { 'x-skein-justification': 'a%20test' }
  const path = `/v1/tenants/${tenant.id}/export`
  for await (const { data } of live.stream(path, undefined, { method: 'GET', headers })) {
    lines.push(data as TenantExportLine)
  }
  expect(lines[0]).toMatchObject({ type: 'EXPORT_STARTED', format: 'skein-tenant-1', tenant: tenant.tenant })
  expect(lines.at(-1)).toMatchObject({ type: 'EXPORT_FINISHED', rows: String(lines.length - 2) })
  const text = JSON.stringify(lines)
  expect(text).toContain('stripes')
  for (const hidden of ['secret_sha256', '"sealed"', 'hunter2', home.id, world.tenant.id])
    expect(text).not.toContain(hidden)
  const audit = must(await tenant.admin.get('/v1/audit', { query: { operation: 'exportTenant' } }))
  expect(audit.body['entries']).toMatchObject([{ account: 'olga', justification: 'a test' }])
})

test('an export that nobody reads is given up, which the response is told, and leaves room for the next one', async () => {
  const tenant = await server.createTenant()
  const caller = {
    tenantId: home.id,
    tenant: home.tenant,
    ownerProvider: 'PROVIDER_SERVICE_PROFILE',
    account: 'olga',
    role: 'operator',
    token: 'test',
    pools: [],
    servesAllTenants: false,
  } as const
  const request = { caller, requestId: randomUUID(), address: '', ...WHY }
  const { lines, stalled } = await openTenantExport(server.engine, request, tenant.id, 200)
  expect((await lines.next()).value).toMatchObject({ type: 'EXPORT_STARTED' })
  await expect(openTenantExport(server.engine, request, tenant.id)).rejects.toMatchObject({
    reason: 'EXPORT_IN_PROGRESS',
  })
  await until('the reader to be given up', () => Promise.resolve(stalled.aborted))
  const next = await openTenantExport(server.engine, request, tenant.id)
  const types: string[] = []
  for await (const { type } of next.lines) types.push(type)
  expect(types.at(-1)).toBe('EXPORT_FINISHED')
  expect(next.stalled.aborted).toBe(false)
})

test('what runners failed to remove is shown, and tried again when the deletion is asked for again', async () => {
  const tenant = await server.createTenant()
  const { org } = tenant.tenant
  const other = await AgentWorld.in(server, tenant)
  const { run } = await other.running('stuck')
  await other.complete(run, { reason: 'finished', session: 'kept' })
  const remover = new TenantRemover(server.engine, () => {})
  const held = async () => must(await home.operator.get(`/v1/tenants/${tenant.id}`)).body['held']
  const step = async () => {
    for (let times = 0; times < 3; times += 1) {
      await other.sql(`update tenant set delete_at = '-infinity' where id = $1`, [tenant.id])
      await remover.step(0)
    }
  }
  const take = async () =>
    must(await other.runner.post('/v1/runner/leftovers', { removed: [] })).body['leftovers'] as unknown[]
  /** As if a runner had tried for the tenth time and failed. */
  const fail = () =>
    other.sql(`update leftover set attempts = 10, claimed_until = now() where tenant_id = $1`, [tenant.id])
  // Also what failed before is tried when the tenant is deleted.
  await fail()
  must(await remove(tenant.id, org))
  await step()
  expect(await held()).toEqual([{ pool: 'default', agents: 1, failed: 0 }])
  expect(await take()).toHaveLength(1)
  await fail()
  await step()
  expect(await held()).toEqual([{ pool: 'default', agents: 1, failed: 1 }])
  expect(await take()).toEqual([])
  must(await remove(tenant.id, org))
  await step()
  expect(await held()).toEqual([{ pool: 'default', agents: 1, failed: 0 }])
  expect(await take()).toHaveLength(1)
})

test('a deleted tenant goes step by step, its name is free afterwards, and its old keys never work again', async () => {
  const org = `gone-${randomUUID()}`
  const tenant = await server.createTenant(org)
  const other = await AgentWorld.in(server, tenant)
  await other.running('live')
  const runner = new TenantRemover(server.engine, () => {})
  expect(entryOf(await remove(tenant.id, org))).toMatchObject({ state: 'TENANT_STATE_DELETING' })
  expect((await create(org)).reason).toBe('TENANT_CLOSING')
  expect((await suspend(tenant.id)).reason).toBe('TENANT_CLOSING')
  await until('keys to be refused', async () => (await tenant.admin.get('/v1/whoami')).status === 401)
  const due = () => other.sql(`update tenant set delete_at = '-infinity' where id = $1`, [tenant.id])
  // Kills agents, then waits for runners.
  for (let step = 0; step < 3; step += 1) {
    await due()
    expect(await runner.step(0)).toBe(true)
  }
  expect(must(await home.operator.get(`/v1/tenants/${tenant.id}`)).body).toMatchObject({
    tenant: { state: 'TENANT_STATE_DELETING' },
    held: [{ pool: 'default', agents: 1, failed: 0 }],
  })
  must(await remove(tenant.id, org, { abandon: 'true' }))
  // Two servers at once.
  await until('it to be deleted', async () => {
    await due()
    await Promise.all([runner.step(0), new TenantRemover(server.engine, () => {}).step(0)])
    return (await home.operator.get(`/v1/tenants/${tenant.id}`)).status === 404
  })
  expect((await remove(tenant.id, org)).reason).toBe('TENANT_NOT_FOUND')
  const again = entryOf(await create(org))
  expect(again.id).not.toBe(tenant.id)
  expect((await tenant.admin.get('/v1/whoami')).reason).toBe('CREDENTIAL_INVALID')
  expect((await other.sql('select from agent where tenant_id = $1', [tenant.id])).length).toBe(0)
  expect((await world.admin.get('/v1/whoami')).status).toBe(200)
})
