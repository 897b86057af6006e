/**
 * `npm run bench:schedules`: many schedules of many tenants, of which a part is due each second. Prints how late
 * firings start and what a claim costs with few and with many schedules; the last line is JSON.
 * Options: --tenants 10000 --per-tenant 10 --seconds 60 --period 3600
 */
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { setStage } from './stage.ts'

const { values } = parseArgs({
  options: {
    tenants: { type: 'string', default: '10000' },
    'per-tenant': { type: 'string', default: '10' },
    seconds: { type: 'string', default: '60' },
    period: { type: 'string', default: '3600' },
  },
})
const tenants = Number(values.tenants)
const perTenant = Number(values['per-tenant'])
const seconds = Number(values.seconds)
const periodSeconds = Number(values.period)
const schedules = tenants * perTenant

const FEW_TENANTS = Math.min(100, tenants)
const CLAIMS = 300

const stage = await setStage()
const owner = new Client({ connectionString: stage.ownerUrl })
try {
  await owner.connect()
  await createTenants()
  const few = await measureClaims(FEW_TENANTS)
  const many = await measureClaims(tenants)
  const started = await beginFirings()
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  const lag = await readLag(started)
  const figures = { tenants, schedules, perSecond: Math.round((schedules / periodSeconds) * 10) / 10, ...lag }
  console.log(
    `firings: ${lag.firings}, late by p50 ${lag.lagP50Ms} ms, p99 ${lag.lagP99Ms} ms, at most ${lag.lagMaxMs} ms (goal 2000)`,
  )
  console.log(
    `a claim of 16: ${few} ms with ${FEW_TENANTS * perTenant} schedules, ${many} ms with ${schedules}`,
  )
  console.log(JSON.stringify({ ...figures, claimMsFew: few, claimMsMany: many }))
} finally {
  await owner.end()
  await stage.stop()
}

/** Each with a profile, a workspace and its schedules, which are not due yet. */
async function createTenants(): Promise<void> {
  await owner.query(
    `insert into tenant (id, provider, org)
     select ('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, 'PROVIDER_CODEHOST_APP', 'org-' || n
     from generate_series(1, $1::int) n`,
    [tenants],
  )
  await owner.query(
    `insert into resource (tenant_id, kind, name, generation, document, created_at, updated_at, updated_by)
     select t.id, d.kind, d.name, 1, '{}', now(), now(), 'bench'
     from tenant t, (values ('profile', 'night'), ('workspace', 'shop')) as d(kind, name) where t.org like 'org-%'`,
  )
  const document = { every: `${periodSeconds}s`, profile: 'night', workspace: 'shop', overlap: 'allow' }
  await owner.query(
    `insert into resource (tenant_id, kind, name, generation, document, created_at, updated_at, updated_by)
     select t.id, 'schedule', 's-' || n, 1, ($1::jsonb || '{"spawn": {"description": "Tidy up."}}')::json, now(), now(),
       'bench'
     from tenant t, generate_series(1, $2::int) n where t.org like 'org-%'`,
    [JSON.stringify(document), perTenant],
  )
  await owner.query('analyze tenant, resource')
}

/** What a server does several times a second, when everything is due: the median, without keeping what was claimed. */
async function measureClaims(tenantsWithTimers: number): Promise<number> {
  await owner.query(
    `insert into schedule_timer (tenant_id, name, anchored_at, decided_until, due_at)
     select t.id, 's-' || n, now(), now(), now() + interval '1 day'
     from (select id from tenant where org like 'org-%' order by id limit $1) t, generate_series(1, $2::int) n
     on conflict do nothing`,
    [tenantsWithTimers, perTenant],
  )
  await owner.query(
    `insert into schedule_turn (tenant_id, due_at)
     select tenant_id, min(due_at) from schedule_timer group by tenant_id on conflict do nothing`,
  )
  await owner.query('vacuum analyze schedule_timer, schedule_turn')
  const took: number[] = []
  for (let count = 0; count < CLAIMS; count++) {
    await owner.query('begin')
    const before = performance.now()
    const { rowCount } = await owner.query(
      `select * from take_due_schedules(16, 4, '{}', now() + interval '2 days', 20000)`,
    )
    took.push(performance.now() - before)
    await owner.query('rollback')
    if (rowCount !== 16) throw new Error(`Claimed ${rowCount} schedules`)
  }
  took.sort((left, right) => left - right)
  return Math.round((took[CLAIMS / 2] ?? NaN) * 100) / 100
}

/** From ten seconds from now on, evenly over the period, tenants mixed. */
async function beginFirings(): Promise<Date> {
  const { rows } = await owner.query<{ begin: Date }>(`select now() + interval '10 seconds' as begin`)
  const [{ begin } = { begin: new Date() }] = rows
  await owner.query(
    `update schedule_timer s set due_at = w.at, decided_until = w.at - interval '1 second', anchored_at = w.at
     from (
       select tenant_id, name, $1::timestamptz + (row_number() over (order by md5(tenant_id || name)) - 1)
         * $2::float8 * interval '1 second' as at
       from schedule_timer
     ) w
     where w.tenant_id = s.tenant_id and w.name = s.name`,
    [begin, periodSeconds / schedules],
  )
  await owner.query(
    `update schedule_turn t set due_at = m.due_at
     from (select tenant_id, min(due_at) as due_at from schedule_timer group by tenant_id) m
     where m.tenant_id = t.tenant_id`,
  )
  await owner.query('analyze schedule_timer, schedule_turn')
  return begin
}

/** Of everything that was due until two seconds ago: what has not started counts with its age. */
async function readLag(begin: Date) {
  const { rows } = await owner.query<Record<'firings' | 'unfinished' | 'p50' | 'p99' | 'max', number>>(
    `with lag as (
       select extract(epoch from coalesce(f.started_at, now()) - s.anchored_at) * 1000 as ms, f.ended_at
       from schedule_timer s left join schedule_firing f
         on f.tenant_id = s.tenant_id and f.schedule = s.name and f.due_at >= $1
       where s.anchored_at <= now() - interval '2 seconds'
     )
     select count(*)::int as firings, count(*) filter (where ended_at is null)::int as unfinished,
       percentile_cont(0.5) within group (order by ms)::float8 as p50,
       percentile_cont(0.99) within group (order by ms)::float8 as p99, max(ms)::float8 as max
     from lag`,
    [begin],
  )
  const [lag] = rows
  if (!lag) throw new Error('Nothing was due')
  return {
    firings: lag.firings,
    unfinished: lag.unfinished,
    lagP50Ms: Math.round(lag.p50),
    lagP99Ms: Math.round(lag.p99),
    lagMaxMs: Math.round(lag.max),
  }
}
