import { setTimeout as pause } from 'node:timers/promises'
import { migrate } from '@skein/store'
import { createServerLogin, startPostgresServer, waitFor, type PostgresServer } from '@skein/testkit'
import { Client } from 'pg'
import { expect } from 'vitest'
import { bootstrapTenant } from '../process/first-tenant.ts'
import { writeDocument } from '../process/http.ts'
import { startServer } from '../process/skein-process.ts'

const POLICIES = ['none', 'latest', 'all'] as const

const MISSED_AFTER_MS = 10_000
/** Between the clock that decides and the one that records. */
const CLOCKS_MS = 200

/** For how long PostgreSQL is away, and how often schedules fire. */
interface Outage {
  readonly outageMs: number
  readonly everyMs: number
}

/** A firing that was recorded after the outage. */
interface LateFiring {
  readonly dueAt: number
  /** How late it was when it was decided on. */
  readonly lateMs: number
  readonly outcome: string
}

type Firings = ReadonlyMap<string, readonly { dueAt: number; createdAt: number; outcome: string }[]>

/**
 * Each policy catches up on what it says after PostgreSQL was away for longer than until firings are missed. Returns how
 * many firings the one that leaves out none had.
 */
export async function expectCatchUp({ outageMs, everyMs }: Outage): Promise<number> {
  const { none, latest, all } = await fireAcrossOutage({ outageMs, everyMs })
  for (const firings of [none, latest]) {
    expect(firings.filter(({ outcome }) => outcome === 'missed')).toHaveLength(1)
    expect(firings[0]?.outcome).toBe('missed')
  }
  expect(startedIn(none, everyMs)[0]?.lateMs).toBeLessThan(MISSED_AFTER_MS + CLOCKS_MS)
  const [newest, next] = startedIn(latest, everyMs)
  expect(newest?.lateMs).toBeGreaterThan(MISSED_AFTER_MS - CLOCKS_MS)
  expect(next?.lateMs).toBeLessThan(MISSED_AFTER_MS + CLOCKS_MS)
  expect(all.filter(({ outcome }) => outcome === 'missed')).toEqual([])
  expect(startedIn(all, everyMs)[0]?.lateMs).toBeGreaterThan(outageMs - 2 * everyMs)
  return all.length
}

/** Those that were carried out: each when it is due after the one before. */
function startedIn(firings: readonly LateFiring[], everyMs: number): readonly LateFiring[] {
  const started = firings.filter(({ outcome }) => outcome !== 'missed')
  expect(new Set(started.map(({ outcome }) => outcome))).toEqual(new Set(['started']))
  const first = started[0]?.dueAt ?? 0
  expect(started.map(({ dueAt }) => dueAt)).toEqual(started.map((_, index) => first + index * everyMs))
  return started
}

/** What schedules of every policy do after the outage. */
async function fireAcrossOutage({
  outageMs,
  everyMs,
}: Outage): Promise<Readonly<Record<(typeof POLICIES)[number], readonly LateFiring[]>>> {
  const postgres = await startPostgresServer({ durable: true })
  try {
    await writeSchedules(postgres, everyMs)
    const everyHas = (amount: number, after: number) => async () => {
      const firings = await readFirings(postgres)
      return POLICIES.every(
        (policy) =>
          (firings.get(policy) ?? []).filter(
            ({ dueAt, outcome }) => dueAt > after && (outcome === 'started' || outcome === 'failed'),
          ).length >= amount,
      )
    }
    await waitFor(everyHas(2, 0), { what: 'firings before the outage', timeoutMs: 60_000 })
    await postgres.kill('immediate')
    const killedAt = Date.now()
    await pause(outageMs)
    await postgres.start()
    const backAt = Date.now()
    await waitFor(everyHas(2, backAt), { what: 'firings after the outage', timeoutMs: 120_000 })
    const firings = await readFirings(postgres)
    const lateOf = (policy: string): LateFiring[] =>
      (firings.get(policy) ?? [])
        // Later ones may be on their way.
        .filter(({ createdAt, dueAt }) => createdAt > killedAt && dueAt <= backAt + everyMs)
        .map(({ dueAt, createdAt, outcome }) => ({ dueAt, lateMs: createdAt - dueAt, outcome }))
    return { none: lateOf('none'), latest: lateOf('latest'), all: lateOf('all') }
  } finally {
    await postgres.stop()
  }
}

async function writeSchedules(postgres: PostgresServer, everyMs: number): Promise<void> {
  await migrate({ connectionString: postgres.url() })
  const { key } = await bootstrapTenant(postgres.url())
  const login = { name: 'skein_app', password: 'outage' }
  const { url } = await startServer({ SKEIN_DATABASE_URL: await createServerLogin(postgres.url(), login) })
  const write = async (path: string, document: object): Promise<void> => {
    const { answer } = await writeDocument(url, key, path, document)
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
  }
  await write('profile/night', {})
  await write('workspace/shop', {})
  for (const policy of POLICIES) {
    await write(`schedule/${policy}`, {
      every: `${everyMs / 1000}s`,
      overlap: 'allow',
      catchUp: { policy, max: 100 },
      profile: 'night',
      workspace: 'shop',
      spawn: { description: 'Tidy up.' },
    })
  }
}

async function readFirings(postgres: PostgresServer): Promise<Firings> {
  const client = new Client({ connectionString: postgres.url() })
  await client.connect()
  try {
    const { rows } = await client.query<{ schedule: string; due: Date; created: Date; outcome: string }>(
      'select schedule, due_at as due, created_at as created, outcome from schedule_firing order by due_at',
    )
    const named = rows.map(({ schedule, due, created, outcome }) => ({
      schedule,
      dueAt: due.getTime(),
      createdAt: created.getTime(),
      outcome,
    }))
    return Map.groupBy(named, ({ schedule }) => schedule)
  } finally {
    await client.end()
  }
}
