/**
 * `npm run bench:storage`: what agents take on disk, by table, and how often rows that change stay on their page without
 * touching an index, which is what fill factors are for. Every agent was spawned and its runs claimed and completed over
 * HTTP. The same is done with the fill factors of the schema and with others. The last line is JSON.
 * Options: --agents 2000 --runs 20000 --fillfactors schema,100,70
 */
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { createRunner } from './comparison.ts'
import { BenchClient } from './http-client.ts'
import { setStage, type Stage } from './stage.ts'

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '2000' },
    runs: { type: 'string', default: '20000' },
    fillfactors: { type: 'string', default: 'schema,100,70' },
  },
})
const agents = Number(values.agents)
const runs = Number(values.runs)

const CLIENTS = 16
/** Smaller tables say nothing. */
const MIN_BYTES = 64 * 1024

interface TableFigures {
  readonly heapBytes: number
  readonly indexBytes: number
  readonly updates: number
  /** Of the updates: on the same page, and in no index. */
  readonly inPlace: number
  readonly dead: number
  readonly vacuums: number
}
type Figures = Readonly<Record<string, TableFigures>>

const results: Record<string, { rest: Figures; busy: Figures }> = {}
for (const fillFactor of values.fillfactors.split(',')) {
  const stage = await setStage({ SKEIN_LEASE_MS: '3600000' })
  const owner = new Client({ connectionString: stage.ownerUrl })
  await owner.connect()
  try {
    if (fillFactor !== 'schema') await setFillFactor(owner, Number(fillFactor))
    const runnerKey = await createRunner(stage)
    await work(stage, spawnAgents())
    await drain(stage, runnerKey, agents)
    const rest = await read(owner)
    await work(stage, messages())
    await drain(stage, runnerKey, runs - agents)
    const busy = await read(owner)
    results[fillFactor] = { rest, busy }
    print(fillFactor, rest, busy)
  } finally {
    await owner.end()
    await stage.stop()
  }
}
console.log(JSON.stringify({ storage: { agents, runs, results } }))

/** Of every table that has one in the schema, before it has rows. */
async function setFillFactor(owner: Client, fillFactor: number): Promise<void> {
  const { rows } = await owner.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and reloptions::text like '%fillfactor%'`,
  )
  for (const { name } of rows) await owner.query(`alter table "${name}" set (fillfactor = ${fillFactor})`)
}

type Request = readonly [path: string, body: object]

function* spawnAgents(): Generator<Request> {
  for (let index = 0; index < agents; index++)
    yield ['/v1/agent/spawn', { ...idOf(index), description: 'Look after the house.' }]
}

/** To one agent after another, so that none has two runs at once. */
function* messages(): Generator<Request> {
  for (let index = 0; index < runs - agents; index++)
    yield ['/v1/agent/queue', { ...idOf(index % agents), description: 'What is new?' }]
}

function idOf(index: number) {
  return { agentId: { workspace: 'default', agent: [`a${index}`] } }
}

async function work({ baseUrl, adminKey }: Stage, requests: Generator<Request>): Promise<void> {
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const client = await BenchClient.open(baseUrl, adminKey)
      for (const [path, body] of requests) await client.post(path, JSON.stringify(body))
      client.close()
    }),
  )
}

/** Until nothing waits. Messages to an agent that has a run waiting are in the same run. */
async function drain({ baseUrl }: Stage, key: string, most: number): Promise<void> {
  let done = 0
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const client = await BenchClient.open(baseUrl, key)
      while (done < most) {
        const answer = await client.post('/v1/runner/poll', JSON.stringify({ capacity: 1, waitMs: 0 }))
        const [run] = (JSON.parse(answer) as { runs: { lease: string }[] }).runs
        if (!run) break
        done += 1
        const outcome = { lease: run.lease, outcome: { reason: 'rested', message: 'Nothing new.' } }
        await client.post('/v1/runner/complete', JSON.stringify(outcome))
      }
      client.close()
    }),
  )
}

/** Partitions count as their table. */
async function read(owner: Client): Promise<Figures> {
  // The server's sessions report what they did when they have been idle for a while.
  await new Promise((resolve) => setTimeout(resolve, 12_000))
  const { rows } = await owner.query<{ name: string } & Record<keyof TableFigures, string>>(
    `select coalesce(p.relname, c.relname)::text as name,
       sum(pg_table_size(c.oid)) as "heapBytes", sum(pg_indexes_size(c.oid)) as "indexBytes",
       sum(s.n_tup_upd) as updates, sum(s.n_tup_hot_upd) as "inPlace", sum(s.n_dead_tup) as dead,
       sum(s.autovacuum_count) as vacuums
     from pg_stat_user_tables s join pg_class c on c.oid = s.relid
     left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
     group by 1 order by 1`,
  )
  return Object.fromEntries(
    rows.map(({ name, ...figures }) => [
      name,
      {
        heapBytes: Number(figures.heapBytes),
        indexBytes: Number(figures.indexBytes),
        updates: Number(figures.updates),
        inPlace: Number(figures.inPlace),
        dead: Number(figures.dead),
        vacuums: Number(figures.vacuums),
      },
    ]),
  )
}

function print(fillFactor: string, rest: Figures, busy: Figures): void {
  console.log(
    `\nfill factor ${fillFactor}: ${agents} agents after one run each, and after ${runs} runs of all`,
  )
  for (const [name, now] of Object.entries(busy)) {
    if (now.heapBytes + now.indexBytes < MIN_BYTES) continue
    const before = rest[name]
    const perAgent = (bytes = 0): string => (bytes / agents).toFixed(0).padStart(6)
    const share = now.updates === 0 ? '      ' : `${((now.inPlace / now.updates) * 100).toFixed(1)} %`
    console.log(
      `  ${name.padEnd(22)} ${perAgent(before?.heapBytes)} +${perAgent(before?.indexBytes)} B/agent, then ${perAgent(now.heapBytes)} +${perAgent(now.indexBytes)}; ${String(now.updates).padStart(7)} updates, ${share} in place; ${now.dead} dead, ${now.vacuums} vacuums`,
    )
  }
}
