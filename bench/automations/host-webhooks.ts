/**
 * `npm run bench:code-hosts`: a code host sends webhooks about pull requests, at random times, and hangs itself when it
 * is asked about them. Prints how soon they were answered, from when they were due, and whether any was lost. The last
 * line is JSON. Options: --per-minute 1000 --minutes 2 --pulls 200
 */
import { createHmac, randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { Receiver } from './receiver.ts'
import { seedAgents } from './seed-agents.ts'
import { setStage } from './stage.ts'
import { percentile, round } from './statistics.ts'
import { openCatalog } from './write-resource.ts'

const { values } = parseArgs({
  options: {
    'per-minute': { type: 'string', default: '1000' },
    minutes: { type: 'string', default: '2' },
    pulls: { type: 'string', default: '200' },
  },
})
const perMinute = Number(values['per-minute'])
const amount = Math.round(perMinute * Number(values.minutes))
const pulls = Number(values.pulls)
const KEY = 'key-of-the-webhooks'
/** As long as those of GitHub are. */
const PADDING = 'x'.repeat(20_000)
const GOAL_MS = 100

const receiver = await Receiver.start()
const stage = await setStage({ SKEIN_OUTBOUND_ALLOW: '127.0.0.1' })
const owner = new Client({ connectionString: stage.ownerUrl })
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
try {
  await owner.connect()
  const path = await connectHost()
  await seedAgents(stage, pulls)
  await seedPulls()
  // The first ones open connections, and load code.
  for (let count = 0; count < 50; count += 1) await send(path, count)
  const before = await recorded()
  const sending: Promise<Answer>[] = []
  let dueAt = performance.now()
  for (let count = 0; count < amount; count += 1) {
    // At random times: hosts don't wait for each other.
    dueAt += (-Math.log(1 - Math.random()) * 60_000) / perMinute
    await pause(Math.max(0, dueAt - performance.now()))
    sending.push(send(path, count, dueAt))
  }
  const answers = await Promise.all(sending)
  const { deliveries, stirs } = await recorded()
  const tookMs = answers.map(({ ms }) => ms)
  const figures = {
    perMinute,
    webhooks: amount,
    p50Ms: round(percentile(tookMs, 0.5)),
    p99Ms: round(percentile(tookMs, 0.99)),
    slowestMs: round(Math.max(...tookMs)),
    goalMs: GOAL_MS,
    refused: answers.filter(({ status }) => status !== 202).length,
    lost: amount - (deliveries - before.deliveries),
    unseen: amount - (stirs - before.stirs),
  }
  console.log(JSON.stringify(figures))
  const isGood = figures.p99Ms < GOAL_MS && figures.refused + figures.lost + figures.unseen === 0
  process.exitCode = isGood ? 0 : 1
} finally {
  agent.destroy()
  await owner.end()
  await stage.stop()
  receiver.stop()
}

interface Answer {
  readonly status: number
  readonly ms: number
}

/** Returns where it sends webhooks to. */
async function connectHost(): Promise<string> {
  const { write, close } = await openCatalog(stage.baseUrl, stage.adminKey)
  await write('secret', 'token', { value: 'token-of-a-user' })
  await write('secret', 'webhooks', { value: KEY })
  const host = { type: 'gitea', url: receiver.url(''), credential: 'token', webhookSecret: 'webhooks' }
  await write('code-host', 'host', host)
  close()
  for (let number = 1; number <= pulls; number += 1) {
    receiver.behave(`/api/v1/repos/acme/shop/pulls/${number}`, 'hang')
  }
  const { rows } = await owner.query<{ place: string }>(
    `select lower(substr(provider, 10)) || ':' || org as place from tenant where id = $1`,
    [stage.tenantId],
  )
  return `/v1/code-host/${rows[0]?.place ?? ''}/host`
}

async function seedPulls(): Promise<void> {
  await owner.query(
    `insert into pull_request (tenant_id, name, agent_id, workspace, account, agent, code_host, owner, repository, number,
       url, title, state, is_draft, head, base, created_at, updated_at, look_at)
     select $1, 'shop-' || n, agent_uuid(n - 1), 'default', 'ada', 'r' || n - 1, 'host', 'acme', 'shop', n, '', 'Fix', 'open',
       false, 'skein/r' || n, 'main', now(), now(), 'infinity'
     from generate_series(1, $2::int) n`,
    [stage.tenantId, pulls],
  )
}

function send(path: string, count: number, dueAt = performance.now()): Promise<Answer> {
  const body = JSON.stringify({
    action: 'created',
    nonce: randomUUID(),
    issue: { number: 1 + (count % pulls) },
    repository: { full_name: 'acme/shop' },
    padding: PADDING,
  })
  return new Promise((resolve, reject) => {
    const sent = request(`${stage.baseUrl}${path}`, {
      method: 'POST',
      agent,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'x-gitea-event': 'issue_comment',
        'x-gitea-delivery': randomUUID(),
        'x-hub-signature-256': `sha256=${createHmac('sha256', KEY).update(body).digest('hex')}`,
      },
    })
    sent.once('error', reject)
    sent.once('response', (response) => {
      response.resume()
      response.once('end', () => resolve({ status: response.statusCode ?? 0, ms: performance.now() - dueAt }))
    })
    sent.end(body)
  })
}

async function recorded(): Promise<{ deliveries: number; stirs: number }> {
  const { rows } = await owner.query<{ deliveries: number; stirs: number }>(
    `select (select count(*)::int from code_host_delivery) as deliveries,
       (select sum(stirs)::int from pull_request) as stirs`,
  )
  return rows[0] ?? { deliveries: 0, stirs: 0 }
}
