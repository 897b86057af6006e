import { randomBytes, randomUUID } from 'node:crypto'
import { formatKey, KEY_PREFIXES, parseKey } from '@skein/contract/facts'
import {
  cancelMove,
  deleteTenant,
  removeLeft,
  Vault,
  type EngineResources,
  type MoveTenant,
} from '@skein/engine'
import { beginMove, cancelLeaving, findMovingTenants, movedKeys, takeStep } from '@skein/store'
import { TestClient, waitFor } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openResources } from '../../../src/resources.ts'
import { AgentWorld, must } from '../../agents/agent-world.ts'
import { makeAuditOlder, rowsOf, sealAll, TwoCells, type TestCell } from './two-cells.ts'

type Step = Parameters<NonNullable<MoveTenant['onStep']>>[0]

class Killed extends Error {}

let cells: TwoCells
let world: AgentWorld
let org: string
/** The same admin in the other cell. */
let there: TestClient
let keyId: string

beforeAll(async () => {
  cells = await TwoCells.start()
})

afterAll(() => cells.close())

beforeEach(async () => {
  world = await AgentWorld.in(cells.one.server, await cells.one.server.createTenant())
  org = world.tenant.tenant.org
  const token = must(await world.admin.write('token', 'root', { account: 'ada', role: 'admin' }))
  const key = String(token.document['key'])
  keyId = key.split('.', 1)[0]?.slice('skn_'.length) ?? ''
  there = new TestClient(cells.two.server.app, key)
})

const owners = () => cells.owners(world.tenant.id)
const rowsIn = (cell: TestCell, table: string) => rowsOf(cell, table, world.tenant.id)

function killedAt(step: Step) {
  return async (at: Step) => {
    if (at === step) throw new Killed()
  }
}

function cancel(target: TestCell = cells.two): Promise<void> {
  return cells.between(cells.one, target, (between) =>
    cancelMove({ ...between, tenant: world.tenant.tenant, onProgress: () => {} }),
  )
}

/** As the owner of the tables. */
async function inOwn<Result>(cell: TestCell, work: (engine: EngineResources) => Promise<Result>) {
  const engine = openResources(cell.server.config, cell.server.database.ownerUrl)
  try {
    return await work(engine)
  } finally {
    await engine.database.close()
  }
}

const remove = (from = cells.one, to = cells.two) =>
  inOwn(from, (engine) =>
    cells.between(from, to, (between) =>
      removeLeft(engine, { cells: between, tenant: world.tenant.tenant, settleMs: 0, onProgress: () => {} }),
    ),
  )

const setStep = (step: string) =>
  cells.one.sql('update tenant set move_step = $2 where id = $1', [world.tenant.id, step])

test('an agent that begins during the copy leaves nothing behind that a cancelled move would not delete', async () => {
  await world.spawn('early')
  let isLate = false
  const onStep = async (step: Step) => {
    if (step === 'batch agent' && !isLate) {
      isLate = true
      await world.spawn('late')
    }
    if (step === 'copied') throw new Killed()
  }
  await expect(cells.move(org, { onStep })).rejects.toThrow(Killed)
  expect(await rowsIn(cells.one, 'run')).toHaveLength(2)
  for (const table of ['timeline', 'follow_up', 'run', 'timer', 'lease', 'leftover']) {
    const orphans = await cells.two.sql(
      `select from "${table}" t where tenant_id = $1 and agent_id <> $1
         and not exists (select from agent a where a.id = t.agent_id)`,
      [world.tenant.id],
    )
    expect({ table, orphans: orphans.length }).toEqual({ table, orphans: 0 })
  }
  await cells.move(org)
  for (const table of ['agent', 'timeline', 'follow_up', 'run'])
    expect(await rowsIn(cells.two, table)).toEqual(await rowsIn(cells.one, table))
})

/** What servers do for all tenants. As one transaction, which is undone: theirs must not come between. */
async function touchedBySweeps(cell: TestCell): Promise<object[]> {
  const { id } = world.tenant
  await cell.sql('begin')
  await cell.sql('select from service_contact for update')
  await cell.sql(
    `insert into lease (agent_id, tenant_id, run_id, attempt, runner, expires_at)
     select id, tenant_id, 1, 1, 'r', now() - interval '1 hour' from agent where tenant_id = $1
     on conflict (agent_id) do update set runner = 'r', expires_at = excluded.expires_at`,
    [id],
  )
  await cell.sql(
    `insert into budget_hold (tenant_id, agent_id, agent_key, root_key, run_id, attempt, budget, need_micros, created_at)
     select tenant_id, id, key, root_key, 1, 1, 'b', 1, now() from agent where tenant_id = $1`,
    [id],
  )
  await cell.sql(
    `insert into budget_reservation (tenant_id, agent_id, budget, month, amount_micros, expires_at)
     select tenant_id, id, 'b', now(), 1, now() - interval '1 hour' from agent where tenant_id = $1`,
    [id],
  )
  const leases = await cell.sql('select from take_expired_leases(1000, 1000) where tenant_id = $1', [id])
  const budgets = await cell.sql('select from list_active_budgets() where tenant_id = $1', [id])
  await cell.sql('select expire_reservations(1000)')
  const spent = await cell.sql('select from budget_spend where tenant_id = $1', [id])
  await cell.sql('rollback')
  return [...leases, ...budgets, ...spent]
}

test('servers leave leases and budgets of a tenant alone where its rows must not change', async () => {
  await world.spawn('a')
  const seen: Record<string, number> = {}
  const onStep = async (step: Step) => {
    if (step === 'copied') seen['arriving'] = (await touchedBySweeps(cells.two)).length
    if (step === 'fenced') seen['frozen'] = (await touchedBySweeps(cells.one)).length
    if (step === 'moved') seen['moved'] = (await touchedBySweeps(cells.one)).length
  }
  await cells.move(org, { onStep })
  expect(seen).toEqual({ arriving: 0, frozen: 0, moved: 0 })
  expect((await touchedBySweeps(cells.two)).length).toBe(3)
})

test('a cell that has lost the last step in a failover does not get the tenant back, nor overwrite it', async () => {
  await world.spawn('a')
  await cells.move(org)
  must(await there.write('persona', 'new', { prompt: 'only in the other cell' }))
  await setStep('frozen')
  await expect(cancel()).rejects.toThrow(/c2 serves the tenant already/)
  await cells.move(org)
  expect((await there.read('persona', 'new')).status).toBe(200)
  await setStep('leaving')
  await expect(cells.move(org)).rejects.toThrow(/c2 serves the tenant already/)
  await expect(cancel()).rejects.toThrow(/c2 serves the tenant already/)
  expect((await there.read('persona', 'new')).status).toBe(200)
  expect(await owners()).toEqual(['c2'])
})

test('what is older than the other cell gets partitions there, or its maintenance would read it every hour', async () => {
  const { id } = world.tenant
  await world.spawn('a')
  await cells.one.sql(
    `create table timeline_19990101 partition of timeline for values from ('1999-01-01 00:00Z') to ('1999-02-01 00:00Z')`,
  )
  await cells.one.sql(`update timeline set created_at = '1999-01-31 23:00Z' where tenant_id = $1`, [id])
  // The cell that it leaves has no partition for this month.
  await cells.one.sql(`update audit set created_at = '1998-03-01 00:00Z' where tenant_id = $1`, [id])
  await cells.move(org)
  const found = await cells.two.sql<{ place: string }>(
    `select distinct tableoid::regclass::text as place from timeline where tenant_id = $1
     union select distinct tableoid::regclass::text from audit where tenant_id = $1 order by place`,
    [id],
  )
  expect(found.map(({ place }) => place)).toEqual(['audit_19980301', 'timeline_19990101'])
  const [open] = await cells.two.sql<{ amount: number }>(
    `select count(*)::int as amount from pg_class where relname in ('audit_19980301', 'timeline_19990101') and not relrowsecurity`,
  )
  expect(open?.amount).toBe(0)
  await cells.one.sql('delete from timeline where tenant_id = $1', [id])
  await cells.one.sql('drop table timeline_19990101')
})

test('a long copy says how far it is', async () => {
  await world.spawn('a')
  const said: string[] = []
  await cells.move(org, { tellEveryMs: 0, onProgress: (text) => said.push(text) })
  expect(said).toContainEqual(expect.stringMatching(/^Copied [1-9][0-9]* rows so far\. Now: timeline\.$/))
})

test('what the target has lost before it was activated is copied again', async () => {
  await world.spawn('a')
  await expect(cells.move(org, { onStep: killedAt('moved') })).rejects.toThrow(Killed)
  await cells.two.sql('delete from timeline where tenant_id = $1', [world.tenant.id])
  await cells.two.sql('delete from run where tenant_id = $1', [world.tenant.id])
  await cells.move(org)
  for (const table of ['timeline', 'run'])
    expect(await rowsIn(cells.two, table)).toEqual(await rowsIn(cells.one, table))
  expect(await owners()).toEqual(['c2'])
})

test('a move to one cell is not cancelled by naming another', async () => {
  await expect(cells.move(org, { onStep: killedAt('draining') })).rejects.toThrow(Killed)
  await expect(cancel({ ...cells.two, name: 'c3' })).rejects.toThrow(/on its way to c2, not to c3/)
  await cells.move(org)
  expect(await owners()).toEqual(['c2'])
})

test('a wrong master key that an empty cell could not reject can be corrected', async () => {
  await cells.two.sql('delete from sealed_value')
  await cells.two.sql('delete from audit_seal')
  must(await world.admin.write('secret', 's', { value: 'hunter2' }))
  const wrong = { ...cells.two, masterKey: randomBytes(32).toString('base64') }
  const onStep = killedAt('copied')
  await expect(cells.move(org, { onStep }, [cells.one, wrong])).rejects.toThrow(Killed)
  await cells.move(org)
  const [secret] = await cells.two.sql<{ sealed: string }>(
    `select sealed from sealed_value where tenant_id = $1 and kind = 'secret'`,
    [world.tenant.id],
  )
  const vault = new Vault([Buffer.from(cells.two.masterKey, 'base64')])
  expect(vault.open(secret?.sealed ?? '', `${world.tenant.id}/secret/s`)).toBe('hunter2')
})

test('a cell without secrets rejects a wrong master key by the seals of its audit log', async () => {
  await cells.two.sql('delete from sealed_value')
  const other = await cells.two.server.createTenant()
  must(await other.admin.write('persona', 'p', { prompt: 'x' }))
  await makeAuditOlder(cells.two, other.id)
  await sealAll(cells.two)
  const wrong = { ...cells.two, masterKey: randomBytes(32).toString('base64') }
  await expect(cells.move(org, {}, [cells.one, wrong])).rejects.toThrow(/not the one that its servers use/)
  expect(await owners()).toEqual(['c1'])
})

test('a row with something unique of one that was deleted after the last copy does not stop the move', async () => {
  const person = (subject: string) =>
    cells.one.sql(
      `insert into person (tenant_id, identity_provider, issuer, subject, account, key_id, created_at, signed_in_at)
       values ($1, 'i', 'https://example.com', $2, 'grace', 'k', now(), now())`,
      [world.tenant.id, subject],
    )
  await person('old')
  const onStep = async (step: Step) => {
    if (step !== 'left') return
    await cells.one.sql('delete from person where tenant_id = $1', [world.tenant.id])
    await person('new')
  }
  await cells.move(org, { onStep })
  expect(await rowsIn(cells.two, 'person')).toEqual(await rowsIn(cells.one, 'person'))
})

test('a tenant that comes back has everything, and its keys are routed back', async () => {
  const agentId = await world.spawn('a')
  const cursors = await Promise.all(
    [world.admin.post('/v1/fleet', {}), world.admin.get('/v1/audit')].map(async (answer) =>
      String(must(await answer).body['cursor']),
    ),
  )
  await cells.move(org)
  must(await there.write('persona', 'new', { prompt: 'x' }))
  const added = must(await there.write('token', 'added', { account: 'ada', role: 'admin' }))
  await remove()
  await cells.move(org, {}, [cells.two, cells.one])
  expect(await owners()).toEqual(['c1'])
  const here = new TestClient(cells.one.server.app, String(added.document['key']))
  expect((await here.read('persona', 'new')).status).toBe(200)
  must(await here.post('/v1/agent/queue', { agentId, description: 'goes on' }))
  // They know nothing of what happened in the other cell, and would not report it.
  const [fleet = '', audit = ''] = cursors
  expect((await here.post('/v1/fleet/watch', { after: fleet })).reason).toBe('PAGE_TOKEN_INVALID')
  expect((await here.get('/v1/audit/watch', { query: { after: audit } })).reason).toBe('PAGE_TOKEN_INVALID')
  const routed = await cells.between(cells.two, cells.one, ({ target }) =>
    Array.fromAsync(movedKeys(target.connection, world.tenant.id, 'c1')),
  )
  // One line still sends the first to the other cell. The second names the other cell.
  expect(routed).toContain(keyId)
  expect(routed.filter((id) => id.startsWith('c2'))).toHaveLength(1)
})

test('a tenant that has left, but is not activated yet, cannot be deleted where it was', async () => {
  await world.spawn('a')
  await expect(cells.move(org, { onStep: killedAt('moved') })).rejects.toThrow(Killed)
  const { operator } = await cells.one.server.createTenant()
  const deleted = await operator.delete(`/v1/tenants/${world.tenant.id}`, {
    query: { confirm: org, justification: 'a test' },
  })
  expect(deleted).toMatchObject({ status: 503, reason: 'TENANT_MOVING' })
  const { tenant } = world.tenant
  const wanted = { tenant, patienceMs: 0, abandonsLeftovers: true, settleMs: 0, onProgress: () => {} }
  await inOwn(cells.one, (engine) =>
    expect(deleteTenant(engine, wanted)).rejects.toMatchObject({ reason: 'TENANT_MOVING' }),
  )
  // As servers of the release before do.
  await expect(
    cells.one.sql('select close_tenant($1, false, true)', [world.tenant.id]),
  ).rejects.toMatchObject({ code: 'SKM01' })
  await expect(remove()).rejects.toThrow(/does not serve the tenant yet/)
  await cells.move(org)
  expect(await owners()).toEqual(['c2'])
  // Once it is served there, and gone from there too.
  expect(await inOwn(cells.one, (engine) => deleteTenant(engine, { ...wanted, isLeft: true }))).toMatchObject(
    {
      state: 'deleted',
    },
  )
})

/** The id of a move that begins after all others. */
const laterMove = () => `ffffffff${randomUUID().slice(8)}`

/** The beginning of a move from the second cell to a third one. */
const goOn = (work: (...all: Parameters<typeof cancelLeaving>) => Promise<unknown>) =>
  cells.between(cells.two, cells.one, async ({ source: { connection } }) => {
    await beginMove(connection, { tenantId: world.tenant.id, moveId: laterMove(), cell: 'c3' })
    const [found] = await findMovingTenants(connection, world.tenant.tenant)
    if (found) await work(connection, found)
  })

test.each([
  ['is on its way to a third cell', async () => {}],
  ['has reached a third cell', (source, found) => takeStep(source, found, 'copying', 'moved')],
  ['was to leave again, which was cancelled', cancelLeaving],
] satisfies [string, Parameters<typeof goOn>[0]][])(
  'what a tenant left behind can be removed when it %s',
  async (_, work) => {
    await world.spawn('a')
    await cells.move(org)
    await goOn(work)
    await remove()
    expect(await rowsIn(cells.one, 'agent')).toEqual([])
    expect(await rowsIn(cells.two, 'agent')).toHaveLength(1)
  },
)

test('the cell from which a tenant once came does not prove that it has reached a third one', async () => {
  await world.spawn('a')
  await cells.move(org)
  await goOn((source, found) => takeStep(source, found, 'copying', 'moved'))
  await expect(remove(cells.two, cells.one)).rejects.toThrow(/does not serve the tenant yet/)
})

test('a move does not end if the target is not the one that was prepared', async () => {
  const onStep = async (step: Step) => {
    if (step === 'moved')
      await cells.two.sql('update tenant set move_id = $2 where id = $1', [world.tenant.id, laterMove()])
  }
  await expect(cells.move(org, { onStep })).rejects.toThrow(/not arriving any more/)
  expect(await owners()).toEqual([])
})

test('integrations of a tenant that has left are not late where it was', async () => {
  must(await world.admin.write('integration', 'hook', { url: 'https://hooks.example.com/' }))
  await cells.move(org)
  await cells.one.sql(
    `update outbox_reader set looked_at = case when tenant_id = $1 then now() - interval '1 hour' else now() end`,
    [world.tenant.id],
  )
  const isLate = async () => {
    const [row] = await cells.one.sql<{ late: boolean | null }>(
      `select (count_automation_totals(100)->>'outbox_since')::timestamptz < now() - interval '1 minute' as late`,
    )
    return row?.late ?? false
  }
  expect(await isLate()).toBe(false)
  await setStep('draining')
  expect(await isLate()).toBe(true)
})

test('the cell that a tenant has left does not offer its identity providers', async () => {
  must(await world.admin.write('secret', 'client', { value: 's3cret' }))
  must(
    await world.admin.write('identity-provider', 'okta', {
      title: 'Okta',
      issuer: 'https://id.example.com',
      clientId: 'skein',
      clientSecret: 'client',
    }),
  )
  const offered = async () => {
    const found = await Promise.all(
      [cells.one, cells.two].map(({ sql }) => sql('select name from sign_in_providers($1)', [org])),
    )
    return found.map((rows) => rows.length)
  }
  const seen: Record<string, number[]> = {}
  const onStep = async (step: Step) => {
    if (['draining', 'leaving', 'moved'].includes(step)) seen[step] = await offered()
  }
  await cells.move(org, { onStep })
  expect(seen).toEqual({ draining: [1, 0], leaving: [0, 0], moved: [0, 0] })
  expect(await offered()).toEqual([0, 1])
})

/** Refused keys: the first of them is written at once, the rest are counted. */
async function refuseKeys(times: number) {
  const id = parseKey(world.tenant.admin.key ?? '')?.keyId ?? ''
  const key = formatKey(KEY_PREFIXES.apiKey, id, randomBytes(32))
  const wrong = new TestClient(cells.one.server.app, key)
  for (let time = 0; time < times; time += 1) expect((await wrong.get('/v1/whoami')).status).toBe(401)
}

async function refusedIn(cell: TestCell): Promise<number> {
  const [row] = await cell.sql<{ times: string | null }>(
    `select sum(times) as times from audit where tenant_id = $1 and operation = 'refuseKey'`,
    [world.tenant.id],
  )
  return Number(row?.times)
}

test('what was counted for the audit log of a tenant moves with it', async () => {
  const { auditTrail, clock } = cells.one.server.engine
  await refuseKeys(5)
  await waitFor(async () => (await refusedIn(cells.one)) === 1 || undefined, {
    what: 'the first to be written',
  })
  let written = 0
  const onStep = async (step: Step) => {
    if (step === 'copied' || step === 'leaving') await auditTrail.flushLeaving(clock.now())
    if (step === 'copied') written = await refusedIn(cells.one)
  }
  await cells.move(org, { onStep })
  // When it was copied first, it was not leaving yet.
  expect(written).toBe(1)
  expect(await refusedIn(cells.two)).toBe(5)
})

test('what was counted while nothing could be written is written after the move was cancelled', async () => {
  const { auditTrail, clock } = cells.one.server.engine
  await expect(cells.move(org, { onStep: killedAt('fenced') })).rejects.toThrow(Killed)
  await refuseKeys(5)
  for (let time = 0; time < 2; time += 1) await auditTrail.flush(clock.now())
  expect(await refusedIn(cells.one)).toBe(0)
  await cancel()
  for (let time = 0; time < 2; time += 1) await auditTrail.flush(clock.now())
  expect(await refusedIn(cells.one)).toBe(5)
})
