/**
 * `npm run bench:deliveries`: how many events a second reach receivers when more are waiting than can be sent, compared
 * with a bare loop that posts and updates one row, in turns. The last line is JSON.
 * Options: --rounds 6 --seconds 5 --endpoints 4
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import type { BareOrder } from './bare-delivery-process.ts'
import { Receiver } from './receiver.ts'
import { seedEvents, sendSeeded } from './seed-events.ts'
import { seedAgents } from './seed-agents.ts'
import { setStage } from './stage.ts'
import { median, round } from './statistics.ts'
import { openCatalog } from './write-resource.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '5' },
    endpoints: { type: 'string', default: '4' },
  },
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const endpoints = Array.from({ length: Number(values.endpoints) }, (_none, index) => `hook-${index}`)
/** As many as a server sends to one endpoint at the same time. */
const LANES = 8
const AGENTS = 50
const EVENTS = 1_000
const CONNECTIONS = 24
/** Answers on their way, and what a worker has read already. */
const DRAIN_MS = 3_000
/** As long as a message of Skein's. */
const BODY = JSON.stringify({ type: 'follow-up.cleared', padding: 'x'.repeat(450) })

const receiver = await Receiver.start()
const stage = await setStage({
  SKEIN_OUTBOUND_ALLOW: '127.0.0.1',
  SKEIN_DATABASE_CONNECTIONS: String(CONNECTIONS),
})
const owner = new Client({ connectionString: stage.ownerUrl })
const bare = fork(fileURLToPath(new URL('bare-delivery-process.ts', import.meta.url)))
try {
  await owner.connect()
  const { write, close } = await openCatalog(stage.baseUrl, stage.adminKey)
  for (const name of endpoints) {
    await write('integration', name, { url: receiver.url('/skein'), events: ['follow-up.cleared'] })
  }
  close()
  await seedAgents(stage, AGENTS)
  await seedEvents(owner, { tenantId: stage.tenantId, agents: AGENTS, events: EVENTS })
  const ours: number[] = []
  const theirs: number[] = []
  for (let count = 0; count < rounds; count++) {
    theirs.push(await measureBare())
    ours.push(await measureOurs())
    console.log(`round ${count + 1}: bare ${theirs.at(-1)?.toFixed(0)}/s, Skein ${ours.at(-1)?.toFixed(0)}/s`)
  }
  const ratios = ours.map((rate, index) => rate / (theirs[index] ?? NaN))
  console.log(
    JSON.stringify({
      rounds,
      endpoints: endpoints.length,
      perSecond: Math.round(median(ours)),
      barePerSecond: Math.round(median(theirs)),
      ratio: round(median(ratios)),
      goal: 0.5,
    }),
  )
} finally {
  bare.disconnect()
  await owner.end()
  await stage.stop()
  receiver.stop()
}

async function measureBare(): Promise<number> {
  const order: BareOrder = {
    databaseUrl: stage.ownerUrl,
    url: receiver.url('/bare'),
    body: BODY,
    loops: endpoints.length * LANES,
    connections: CONNECTIONS,
    seconds,
  }
  bare.send(order)
  const [{ perSecond }] = (await once(bare, 'message')) as [{ perSecond: number }]
  return perSecond
}

async function measureOurs(): Promise<number> {
  for (const integration of endpoints) {
    await sendSeeded(owner, { tenantId: stage.tenantId, integration, agents: AGENTS, events: EVENTS })
  }
  // Until every endpoint has a holder.
  await pause(1_000)
  await receiver.count()
  const startedAt = performance.now()
  await pause(seconds * 1000)
  const { '/skein': counts } = await receiver.count()
  const perSecond = ((counts?.requests ?? 0) / (performance.now() - startedAt)) * 1000
  const { rows } = await owner.query<{ left: number }>('select count(*)::int as left from lane')
  if ((rows[0]?.left ?? 0) < endpoints.length * LANES) throw new Error('Too few events for so long')
  await owner.query('delete from lane')
  await pause(DRAIN_MS)
  return perSecond
}
