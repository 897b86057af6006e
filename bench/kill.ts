/**
 * `npm run bench:kill`: kills a tree of agents over HTTP, with one of two servers, and checks that each has ended, on its
 * timeline too, and that no run or lease is left. Clients wait for agents of the tree at the other server. Meanwhile another
 * tenant sends commands to the server that kills. The last line is JSON.
 * Options: --agents 5000 --leased 500 --rounds 3
 */
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { createRunner } from './comparison.ts'
import { copyLeaves } from './copy-leaves.ts'
import { CpuMeter } from './cpu-meter.ts'
import { BenchClient } from './http-client.ts'
import { quantile } from './measure.ts'
import { setStage } from './stage.ts'

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '5000' },
    leased: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '3' },
  },
})
const agents = Number(values.agents)
const leased = Number(values.leased)

const BRANCHES = 50
const WAITING = 20

const stage = await setStage({ SKEIN_LEASE_MS: '3600000', SKEIN_DATABASE_CONNECTIONS: '24' }, 2)
const owner = new Client({ connectionString: stage.ownerUrl })
await owner.connect()
const cpu = await CpuMeter.open(stage.ownerUrl)
try {
  const [killer, other] = stage.servers
  if (!killer || !other) throw new TypeError('Two servers were started')
  const runnerKey = await createRunner(stage)
  const { key: otherKey } = await stage.createTenant('beside')
  const rounds: Record<string, number>[] = []
  for (let round = 0; round < Number(values.rounds); round++) {
    const root = `tree${round}`
    const paths = await seedTree(root)
    await leaseRuns(runnerKey)
    const waits = await startWaits(other.baseUrl, paths)
    const admin = await BenchClient.open(killer.baseUrl, stage.adminKey)
    const calm = await beside(
      killer.baseUrl,
      otherKey,
      () => new Promise((resolve) => setTimeout(resolve, 1000)),
    )
    let figures = { answeredMs: NaN, knownMs: NaN }
    const cpuStart = await cpu.read(killer.pid)
    const { latencies } = await beside(killer.baseUrl, otherKey, async () => {
      const sentAt = performance.now()
      await admin.post('/v1/agent/kill', idOf([root]))
      const answeredMs = performance.now() - sentAt
      await Promise.all(waits.answers)
      figures = { answeredMs, knownMs: performance.now() - sentAt }
    })
    const cpuMs = (await cpu.read(killer.pid)) - cpuStart
    await check(root)
    waits.close()
    admin.close()
    const figure = {
      ...figures,
      cpuMs,
      besideCalmP50Ms: quantile(calm.latencies, 0.5),
      besideCalmMaxMs: quantile(calm.latencies, 1),
      besideP50Ms: quantile(latencies, 0.5),
      besideMaxMs: quantile(latencies, 1),
    }
    console.log(
      `  killed ${agents} agents: answered after ${figures.answeredMs.toFixed(0)} ms, all waiting clients knew after ${figures.knownMs.toFixed(0)} ms, CPU ${cpuMs} ms; another tenant waited ${figure.besideP50Ms.toFixed(1)} ms (p50), at most ${figure.besideMaxMs.toFixed(0)} ms, before: ${figure.besideCalmP50Ms.toFixed(1)} and ${figure.besideCalmMaxMs.toFixed(0)} ms`,
    )
    rounds.push(figure)
  }
  const median = (name: string) =>
    Math.round(
      quantile(
        rounds.map((figure) => figure[name] ?? NaN).toSorted((one, two) => one - two),
        0.5,
      ),
    )
  console.log(
    JSON.stringify({
      kill: {
        agents,
        leased,
        answeredMs: median('answeredMs'),
        knownMs: median('knownMs'),
        cpuMs: median('cpuMs'),
        besideMaxMs: median('besideMaxMs'),
        besideCalmMaxMs: median('besideCalmMaxMs'),
      },
    }),
  )
} finally {
  await cpu.close()
  await owner.end()
  await stage.stop()
}

/** A root, its children, and theirs, which are copies of one that was spawned over HTTP. */
async function seedTree(root: string): Promise<string[][]> {
  const paths = [[root], ...Array.from({ length: BRANCHES }, (_, branch) => [root, `b${branch}`])]
  const admin = await BenchClient.open(stage.baseUrl, stage.adminKey)
  for (const path of [...paths, [root, 'b0', 'l0']])
    await admin.post(
      '/v1/agent/spawn',
      JSON.stringify({ ...JSON.parse(idOf(path)), description: 'Look after the house.' }),
    )
  admin.close()
  const copies = await copyLeaves(owner, stage.tenantId, {
    root,
    branches: BRANCHES,
    amount: agents - paths.length - 1,
  })
  return [...paths, [root, 'b0', 'l0'], ...copies]
}

async function leaseRuns(runnerKey: string): Promise<void> {
  const clients = await Promise.all(
    Array.from({ length: 8 }, () => BenchClient.open(stage.baseUrl, runnerKey)),
  )
  let left = leased
  await Promise.all(
    clients.map(async (client) => {
      while (left-- > 0) await client.post('/v1/runner/poll', JSON.stringify({ capacity: 1 }))
    }),
  )
  for (const client of clients) client.close()
}

async function startWaits(baseUrl: string, paths: readonly string[][]) {
  const clients = await Promise.all(
    Array.from({ length: WAITING }, () => BenchClient.open(baseUrl, stage.adminKey)),
  )
  const answers = clients.map((client, index) =>
    client.post('/v1/agent/wait', idOf(paths[Math.floor((index * paths.length) / WAITING)] ?? [])),
  )
  return {
    answers,
    close() {
      for (const client of clients) client.close()
    },
  }
}

/** What another tenant waits for its commands, while something else happens. */
async function beside(
  baseUrl: string,
  key: string,
  work: () => Promise<unknown>,
): Promise<{ latencies: number[] }> {
  const latencies: number[] = []
  const over = new AbortController()
  const loops = Array.from({ length: 4 }, async (_, index) => {
    const client = await BenchClient.open(baseUrl, key)
    while (!over.signal.aborted) {
      const before = performance.now()
      const name = `o${index}-${randomBytes(6).toString('hex')}`
      await client.post(
        '/v1/agent/spawn',
        JSON.stringify({ ...JSON.parse(idOf([name])), description: 'Look after the house.' }),
      )
      latencies.push(performance.now() - before)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    client.close()
  })
  await work()
  over.abort()
  await Promise.all(loops)
  return { latencies: latencies.toSorted((one, two) => one - two) }
}

async function check(root: string): Promise<void> {
  const { rows } = await owner.query<Record<string, number>>(
    `select count(*)::int as all,
       count(*) filter (where a.phase = 'PHASE_CANCELED' and a.is_terminal)::int as ended,
       count(*) filter (where exists (select from timeline t where t.agent_id = a.id
         and t.event ->> 'type' = 'agent.phase-changed' and t.event ->> 'to' = 'PHASE_CANCELED'))::int as told,
       count(*) filter (where exists (select from outbox o where o.agent_id = a.id
         and o.last_sequence = (a.state ->> 'sequence')::bigint))::int as announced,
       count(*) filter (where exists (select from run r where r.agent_id = a.id)
         or exists (select from lease l where l.agent_id = a.id))::int as running
     from agent a where a.tenant_id = $1 and a.root_key like '%/' || $2`,
    [stage.tenantId, root],
  )
  const counts = rows[0] ?? {}
  const expected = { all: agents, ended: agents, told: agents, announced: agents, running: 0 }
  for (const [name, count] of Object.entries(expected))
    if (counts[name] !== count) throw new Error(`Expected ${name} ${count}: ${JSON.stringify(counts)}`)
  const totals = await owner.query<{ live: number; counted: number; bytes: number }>(
    `select (select sum(amount) from live_agents where tenant_id = $1)::int as live,
       (select sum(pending + running + waiting) from fleet_count where tenant_id = $1)::int as counted,
       (select sum(amount) from queued_bytes where tenant_id = $1)::int as bytes`,
    [stage.tenantId],
  )
  if (Object.values(totals.rows[0] ?? {}).some((total) => total !== 0))
    throw new Error(`Totals remain: ${JSON.stringify(totals.rows)}`)
}

function idOf(path: readonly string[]): string {
  return JSON.stringify({ agentId: { workspace: 'default', agent: path } })
}
