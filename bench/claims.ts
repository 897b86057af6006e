/**
 * `npm run bench:claims`: the CPU time of a claim with few and with many waiting tenants, leased runs and waiting runs. Claims
 * with few and with many alternate, in databases of their own; the last line is JSON with the ratios (goal: 1.3).
 * Options: --tenants 100000 --leased 20000 --waiting 1000000 --claims 300
 */
import { parseArgs } from 'node:util'
import { startPostgresServer } from '@skein/testkit'
import { ClaimQueue, type Scene } from './claim-queue.ts'
import { quantile } from './measure.ts'

const { values } = parseArgs({
  options: {
    tenants: { type: 'string', default: '100000' },
    leased: { type: 'string', default: '20000' },
    waiting: { type: 'string', default: '1000000' },
    claims: { type: 'string', default: '300' },
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

const postgres = await startPostgresServer({
  durable: true,
  settings: ['shared_buffers=1GB', 'max_wal_size=8GB', 'autovacuum_naptime=5s'],
})
try {
  const ratios: Record<string, number> = {}
  const urlOf = (database: string) => postgres.url(database)
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
} finally {
  await postgres.stop()
}

async function compare(name: string, few: ClaimQueue, many: ClaimQueue): Promise<number> {
  const times = new Map<ClaimQueue, number[]>([
    [few, []],
    [many, []],
  ])
  // The first ones warm up.
  for (let round = -FEW; round < claims; round++) {
    for (const queue of round % 2 === 0 ? [few, many] : [many, few]) {
      const time = await queue.claimOne()
      if (round >= 0) times.get(queue)?.push(time)
    }
  }
  const [ofFew, ofMany] = [few, many].map((queue) => summarize(times.get(queue) ?? []))
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
