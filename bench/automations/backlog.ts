/**
 * `npm run bench:backlog`: a million events wait for a receiver that never answers. Prints how the server's memory
 * changes, compared with the same time without them, and how many requests it sends at once; the last line is JSON.
 * Options: --events 1000000 --seconds 60
 */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { Receiver } from './receiver.ts'
import { seedEvents, sendSeeded } from './seed-events.ts'
import { seedAgents } from './seed-agents.ts'
import { setStage } from './stage.ts'
import { median, round } from './statistics.ts'
import { openCatalog } from './write-resource.ts'

const { values } = parseArgs({
  options: { events: { type: 'string', default: '1000000' }, seconds: { type: 'string', default: '60' } },
})
const seconds = Number(values.seconds)
const AGENTS = 1_000
const events = Math.ceil(Number(values.events) / AGENTS)
const SAMPLE_MS = 500
/** At the beginning and at the end of a time, so many samples. */
const SAMPLES = 20

const receiver = await Receiver.start()
const stage = await setStage({ SKEIN_OUTBOUND_ALLOW: '127.0.0.1' })
const owner = new Client({ connectionString: stage.ownerUrl })
try {
  await owner.connect()
  receiver.behave('/dead', 'hang')
  const { write, close } = await openCatalog(stage.baseUrl, stage.adminKey)
  await write('integration', 'dead', { url: receiver.url('/dead'), events: ['follow-up.cleared'] })
  close()
  await seedAgents(stage, AGENTS)
  await seedEvents(owner, { tenantId: stage.tenantId, agents: AGENTS, events })
  const without = await measureGrowthMb()
  await sendSeeded(owner, { tenantId: stage.tenantId, integration: 'dead', agents: AGENTS, events })
  await untilOpen()
  await receiver.count()
  const growthMb = await measureGrowthMb()
  const { '/dead': counts } = await receiver.count()
  const { rows } = await owner.query<{ waiting: string }>(
    'select sum(last_sequence - next_sequence + 1) as waiting from lane',
  )
  console.log(`the server's memory grew by ${growthMb} MB with the events, by ${without} MB without them`)
  console.log(
    JSON.stringify({
      waiting: Number(rows[0]?.waiting ?? 0),
      seconds,
      growthMb,
      growthMbWithout: without,
      probes: counts?.requests ?? 0,
      mostAtOnce: counts?.mostAtOnce ?? 0,
      goal: { mostAtOnce: 1 },
    }),
  )
} finally {
  await owner.end()
  await stage.stop()
  receiver.stop()
}

/** Until only single requests test the receiver. */
async function untilOpen(): Promise<void> {
  for (;;) {
    const { rows } = await owner.query<{ failures: number }>('select failures from endpoint')
    if ((rows[0]?.failures ?? 0) >= 5) return
    await pause(SAMPLE_MS)
  }
}

async function measureGrowthMb(): Promise<number> {
  const samples: number[] = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    samples.push(residentMb())
    await pause(SAMPLE_MS)
  }
  return round(median(samples.slice(-SAMPLES)) - median(samples.slice(0, SAMPLES)), 1)
}

function residentMb(): number {
  const status = readFileSync(`/proc/${stage.serverPid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? NaN) / 1024
}
