import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findFreePorts } from '@skein/host'
import { Random, waitFor, type PostgresServer } from '@skein/testkit'
import { Client, type QueryResult, type QueryResultRow } from 'pg'
import { prepareDatabase, startDatabase } from '../crash/installation/database.ts'
import { LEASE_MS, untilReady } from '../crash/installation/install.ts'
import { superviseServer } from '../crash/installation/programs.ts'
import type { Supervised } from '../crash/installation/supervised.ts'
import { Api, noCalls } from '../crash/workload/api.ts'
import { checkWebhooks, type Expected, type WebhookFigures } from './check-webhooks.ts'
import { commitLate, LATE_AGENT } from './commit-late.ts'
import type { Options } from './options.ts'
import { startReceivers, type Receiver } from './receivers.ts'

const SERVERS = 2
const AGENTS = 40
const EVENTS_PER_SECOND = 20
const WORK_MS = 900
/** More than open a circuit. */
const OUTAGE_REQUESTS = 8
const MAX_OUTAGE_MS = 30_000
/** So that a retry does not have to be awaited for minutes. */
const HURRY_EVERY_MS = 2_000

export interface Result {
  readonly seconds: number
  readonly events: number
  readonly killedServers: number
  readonly killedDatabases: number
  readonly settledAfterMs: number
  readonly webhooks: Readonly<Record<string, WebhookFigures>>
  /** All that must not happen, together. */
  readonly faults: number
}

interface Running {
  readonly postgres: PostgresServer
  readonly servers: readonly Supervised[]
  readonly receivers: readonly Receiver[]
  readonly api: Api
  readonly random: Random
  /** When something was killed. */
  readonly killedAt: number[]
  killedDatabases: number
}

/** Runs the servers of the source tree at `root`. */
export async function automationsTest(root: string, options: Options): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-automations-'))
  const postgres = await startDatabase()
  const servers: Supervised[] = []
  const random = new Random(options.seed)
  const receivers = await startReceivers(random)
  try {
    const { serverUrl, masterKey, adminKey } = await prepareDatabase(postgres.url(), root)
    const ports = await findFreePorts(SERVERS)
    for (const [index, port] of ports.entries()) {
      const env = { SKEIN_OUTBOUND_ALLOW: '127.0.0.1' }
      servers.push(
        superviseServer({
          root,
          index,
          port,
          folder,
          databaseUrl: serverUrl,
          masterKey,
          leaseMs: LEASE_MS,
          env,
        }),
      )
    }
    for (const server of servers) server.start()
    await untilReady(servers)
    const urls = ports.map((port) => `http://127.0.0.1:${port}`)
    const api = new Api(urls, adminKey, random, noCalls())
    const running = { postgres, servers, receivers, api, random, killedAt: [], killedDatabases: 0 }
    return await drive(running, options)
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
    await Promise.all(receivers.map((receiver) => receiver.close()))
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function drive(running: Running, options: Options): Promise<Result> {
  const { api, receivers, postgres, servers, killedAt } = running
  for (const { name, url } of receivers) {
    const document = { url, events: ['agent.spawned', 'follow-up.*'] }
    const payload = Buffer.from(JSON.stringify(document)).toString('base64')
    await api.insist(`/v1/catalog/integration/${name}`, { payload })
  }
  const startedAt = performance.now()
  const ended = new AbortController()
  const load = emit(running, ended.signal)
  const hurry = hurryRetries(postgres, ended.signal)
  const late = commitLate(postgres, ended.signal)
  const outage = failForAWhile(receivers[0])
  const events = options.seconds * 1000
  while (performance.now() - startedAt < events || killedAt.length < options.kills)
    await killSomething(running)
  ended.abort()
  await Promise.all([load, hurry, late, outage])
  await postgres.start()
  await untilReady(servers)
  const restedAt = performance.now()
  const expected = await settle(running, options.restSeconds)
  const webhooks = Object.fromEntries(
    receivers.map((receiver) => [receiver.name, checkWebhooks(receiver, expected, killedAt)]),
  )
  return {
    seconds: Math.round((performance.now() - startedAt) / 1000),
    events: [...expected.values()].reduce((total, { length }) => total + length, 0),
    killedServers: killedAt.length - running.killedDatabases,
    killedDatabases: running.killedDatabases,
    settledAfterMs: Math.round(performance.now() - restedAt),
    webhooks,
    faults: Object.values(webhooks).reduce((total, each) => total + faultsIn(each), 0),
  }
}

function faultsIn({ lost, outOfOrder, doubled, wrongIds }: WebhookFigures): number {
  return lost + outOfOrder + doubled + wrongIds
}

/** Spawns the agents, then sends them messages, which are events too. */
async function emit({ api, random }: Running, signal: AbortSignal): Promise<void> {
  const names = Array.from({ length: AGENTS }, (_, index) => `agent-${index}`)
  await Promise.all(
    [...names, LATE_AGENT].map((name) =>
      api.insist('/v1/agent/spawn', { agentId: { agent: [name] }, description: 'Emit.' }, name),
    ),
  )
  const sent: Promise<unknown>[] = []
  for (let count = 0; !signal.aborted; count++) {
    const agentId = { workspace: 'default', agent: [random.pick(names)] }
    // Full queues are emptied, which is an event for each message.
    const path = count % 50 === 49 ? '/v1/agent/clear-follow-ups' : '/v1/agent/queue'
    const body = path.endsWith('/queue') ? { agentId, description: `Message ${count}.` } : { agentId }
    sent.push(api.insist(path, body, `emit-${count}`))
    await pause(1000 / EVENTS_PER_SECOND)
  }
  await Promise.all(sent)
}

async function killSomething(running: Running): Promise<void> {
  const { random, servers, postgres, killedAt } = running
  // On a busy machine servers take long to start: between two kills, all of them do some work.
  await untilReady(servers)
  await pause(WORK_MS * (0.5 + random.next()))
  if (random.chance(0.15)) {
    killedAt.push(performance.now())
    running.killedDatabases++
    await postgres.kill()
    await pause(random.below(800))
    await postgres.start()
  } else if (random.pick(servers).kill()) killedAt.push(performance.now())
}

/** Long enough to open the circuit. */
async function failForAWhile(receiver: Receiver | undefined): Promise<void> {
  if (!receiver) return
  await pause(3_000)
  receiver.isDown = true
  const hasFailed = () => receiver.arrivals.filter(({ status }) => status === 503).length >= OUTAGE_REQUESTS
  await waitFor(hasFailed, { what: 'failed requests', timeoutMs: MAX_OUTAGE_MS }).catch(() => undefined)
  receiver.isDown = false
}

async function hurryRetries(postgres: PostgresServer, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(HURRY_EVERY_MS)
    await query(postgres, HURRY).catch(() => undefined)
  }
}

const HURRY = `
  update lane set due_at = now() where attempts > 0 and due_at > now();
  update endpoint e set due_at = now() where held_until < now() and due_at > now() and due_at < 'infinity' and failures < 5
    and exists (select from lane l where l.tenant_id = e.tenant_id and l.integration = e.integration);
  select 1 as done`

/** Waits until every event has arrived everywhere, as far as it does. Returns all events. */
async function settle(running: Running, restSeconds: number): Promise<Expected> {
  const { postgres, receivers } = running
  const expected = await readExpected(postgres)
  const isThere = (): boolean =>
    receivers.every(({ arrivals }) => {
      const ok = new Set(
        arrivals
          .filter(({ status }) => status >= 200 && status < 300)
          .map(({ agent, sequence }) => `${agent}#${sequence}`),
      )
      return [...expected].every(([agent, sequences]) =>
        sequences.every((sequence) => ok.has(`${agent}#${sequence}`)),
      )
    })
  await waitFor(
    async () => {
      await query(postgres, HURRY)
      return isThere()
    },
    { what: 'all events', timeoutMs: restSeconds * 1000, intervalMs: 1_000 },
  ).catch(() => undefined)
  // What is sent once too often would come soon.
  await pause(3_000)
  return expected
}

async function readExpected(postgres: PostgresServer): Promise<Expected> {
  const rows = await query<{ agent: string; sequences: string[] }>(
    postgres,
    `select a.state -> 'identity' -> 'path' ->> 0 as agent, array_agg(t.sequence order by t.sequence) as sequences
     from timeline t join agent a on a.id = t.agent_id
     where t.event ->> 'type' = 'agent.spawned' or t.event ->> 'type' like 'follow-up.%' group by 1`,
  )
  return new Map(rows.map(({ agent, sequences }) => [agent, sequences.map(Number)]))
}

async function query<Row extends QueryResultRow>(postgres: PostgresServer, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: postgres.url() })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const answers = [(await client.query(text)) as unknown as QueryResult<Row> | QueryResult<Row>[]].flat()
    return answers.at(-1)?.rows ?? []
  } finally {
    await client.end()
  }
}
