/**
 * `npm run bench:waits`: thousands of clients wait at one server process, or at many, while agents change. Prints memory and
 * wake-up latency against the number of waiting clients, and checks that nothing is left when they disconnect. The last line
 * is JSON; --save keeps it for the plot of docs/performance.md.
 * Options: --points 0,1000,2000,5000,10000 --servers 1 --agents 1000 --changes 200 --per-second 20 --background 0
 */
import { parseArgs } from 'node:util'
import { saveResult } from './results.ts'
import { setStage } from './stage.ts'
import { WaitingCrowd } from './waiting-crowd.ts'

const { values } = parseArgs({
  options: {
    points: { type: 'string', default: '0,1000,2000,5000,10000' },
    servers: { type: 'string', default: '1' },
    agents: { type: 'string', default: '1000' },
    changes: { type: 'string', default: '200' },
    'per-second': { type: 'string', default: '20' },
    background: { type: 'string', default: '0' },
    save: { type: 'boolean', default: false },
  },
})
const serverCount = Number(values.servers)
const load = {
  agents: Number(values.agents),
  /** Commands that end an agent somebody waits for, each sent to a random server. */
  changes: Number(values.changes),
  perSecond: Number(values['per-second']),
  /** Commands per second to agents that nobody waits for. */
  background: Number(values.background),
}

// Many servers share what one database can have.
const stage = await setStage(serverCount > 1 ? { SKEIN_DATABASE_CONNECTIONS: '8' } : {}, serverCount)
try {
  const crowd = await WaitingCrowd.open(stage, load)
  const points = []
  for (const clients of values.points.split(',').map(Number)) {
    const point = { clients, ...(await crowd.growTo(clients)) }
    points.push(point)
    console.log(
      `${clients} clients: ${(point.rssBytes / 2 ** 20).toFixed(0)} MiB in ${serverCount} servers; wake-up p50 ${point.p50Ms} ms, p99 ${point.p99Ms} ms after the command was sent, p99 ${point.afterAnswerP99Ms} ms after it was answered`,
    )
  }
  await crowd.leave()
  console.log('after closing all connections: 0 waiting requests')
  if (values.save) await saveResult('waits', { points })
  console.log(JSON.stringify({ waits: { servers: serverCount, ...load, points } }))
} finally {
  await stage.stop()
}
