/**
 * `npm run bench:claims`: the CPU time of a claim with few and with many waiting tenants, leased runs and waiting runs. Claims
 * with few and with many alternate, in databases of their own; the last line is JSON with the ratios (goal: 1.3).
 * Options: --tenants 100000 --leased 20000 --waiting 1000000 --claims 300
 * --save measures claims with 10, 100, ... waiting tenants instead, for the plot of docs/performance.md.
 */
import { parseArgs } from 'node:util'
import { startPostgresServer } from '@skein/testkit'
import { ClaimQueue, type Scene } from './claim-queue.ts'
import { quantile } from './measure.ts'
import { saveResult } from './results.ts'

const { values } = parseArgs({
  options: {
    tenants: { type: 'string', default: '100000' },
    leased: { type: 'string', default: '20000' },
    waiting: { type: 'string', default: '1000000' },
    claims: { type: 'string', default: '300' },
    save: { type: 'boolean', default: false },
  },
})
const claims = Number(values.claims)

const FEW = 10
const CASES: Readonly<Record<string, { few: Scene; many: Scene }>> = {
  'waiting tenants': {
    few: { tenants: FEW, waiting: 1, leased: 0, servesAll: true },
    many: { tenants: Number(values.tenants), waiting: 1, leased: 0, servesAll: true },
  },
  'leased runs': {
    few: { tenants: 1, waiting: FEW, leased: 0, servesAll: false },
    many: { tenants: 1, waiting: FEW, leased: Number(values.leased), servesAll: false },
  },
  'waiting runs': {
    few: { tenants: 1, waiting: FEW, leased: 0, servesAll: false },
    many: { tenants: 1, waiting: Number(values.waiting), leased: 0, servesAll: false },
  },
}

const urlOf = (database: string) => postgres.url(database)
const postgres = await startPostgresServer({
  durable: true,
  settings: ['shared_buffers=1GB', 'max_wal_size=8GB', 'autovacuum_naptime=5s'],
})
try {
  await (values.save ? saveSeries() : compareCases())
} finally {
  await postgres.stop()
}

async function compareCases(): Promise<void> {
  const ratios: Record<string, number> = {}
  for (const [name, { few, many }] of Object.entries(CASES)) {
    const database = name.replaceAll(' ', '_')
    const sides = [
      await ClaimQueue.open(urlOf, `few_${database}`, few),
      await ClaimQueue.open(urlOf, `many_${database}`, many),
    ] as const
    try {
      ratios[name] = await compare(name, ...sides)
    } finally {
      for (const side of sides) await side.close()
    }
  }
  console.log(JSON.stringify({ claims: ratios }))
}

async function saveSeries(): Promise<void> {
  const amounts = [10, 100, 1000, 10_000, 100_000].filter((amount) => amount <= Number(values.tenants))
  const queues: ClaimQueue[] = []
  try {
    for (const tenants of amounts)
      queues.push(
        await ClaimQueue.open(urlOf, `tenants_${tenants}`, {
          tenants,
          waiting: 1,
          leased: 0,
          servesAll: true,
        }),
      )
    const summaries = await measureInTurns(queues)
    const series = amounts.map((tenants, index) => ({ tenants, medianMs: summaries[index]?.median ?? NaN }))
    await saveResult('claims', { tenants: series })
    console.log(JSON.stringify({ tenants: series }))
  } finally {
    for (const queue of queues) await queue.close()
  }
}

/** In turns, because a shared machine changes its speed. The first ones warm up. */
async function measureInTurns(queues: readonly ClaimQueue[]): Promise<{ median: number; mean: number }[]> {
  const times = new Map<ClaimQueue, number[]>(queues.map((queue) => [queue, []]))
  for (let round = -FEW; round < claims; round++) {
    for (const queue of round % 2 === 0 ? queues : queues.toReversed()) {
      const time = await queue.claimOne()
      if (round >= 0) times.get(queue)?.push(time)
    }
  }
  return queues.map((queue) => summarize(times.get(queue) ?? []))
}

async function compare(name: string, few: ClaimQueue, many: ClaimQueue): Promise<number> {
  const [ofFew, ofMany] = await measureInTurns([few, many])
  if (!ofFew || !ofMany) throw new Error('Both were measured')
  const ratio = ofMany.mean / ofFew.mean
  console.log(
    `  ${name.padEnd(16)} few: p50 ${ofFew.median.toFixed(2)} ms, mean ${ofFew.mean.toFixed(2)} ms; many: p50 ${ofMany.median.toFixed(2)} ms, mean ${ofMany.mean.toFixed(2)} ms; ratio ${ratio.toFixed(2)} (goal 1.3)`,
  )
  return Number(ratio.toFixed(2))
}

function summarize(times: readonly number[]): { median: number; mean: number } {
  const sorted = times.toSorted((one, other) => one - other)
  return { median: quantile(sorted, 0.5), mean: sorted.reduce((sum, time) => sum + time, 0) / sorted.length }
}
