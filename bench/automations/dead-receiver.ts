/**
 * `npm run bench:one-dead`: 1,000 integrations of several tenants get events, first with all receivers well, then
 * with one that never answers, in turns. Prints how late events arrive at the others; the last line is JSON.
 * Options: --rounds 3 --seconds 20 --endpoints 1000 --tenants 10 --per-second 200
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { BenchClient } from '../http-client.ts'
import { Receiver } from './receiver.ts'
import { setStage } from './stage.ts'
import { median, percentile, round } from './statistics.ts'
import { openCatalog, type WriteResource } from './write-resource.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '20' },
    endpoints: { type: 'string', default: '1000' },
    tenants: { type: 'string', default: '10' },
    'per-second': { type: 'string', default: '200' },
  },
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const tenants = Number(values.tenants)
const perTenant = Number(values.endpoints) / tenants
/** Each event goes to all integrations of a tenant. */
const everyMs = (1000 * perTenant) / Number(values['per-second'])
const DRAIN_MS = 3_000
const AGENTS = 10

interface Tenant {
  readonly client: BenchClient
  readonly write: WriteResource
}

const receiver = await Receiver.start()
const stage = await setStage({ SKEIN_OUTBOUND_ALLOW: '127.0.0.1', SKEIN_DATABASE_CONNECTIONS: '24' })
const closers: (() => void)[] = []
try {
  const all: Tenant[] = []
  for (let index = 0; index < tenants; index++) {
    all.push(await createTenant(index === 0 ? stage.adminKey : await stage.createTenant(`org-${index}`)))
  }
  await receiveFor(all)
  const well: number[] = []
  const withDead: number[] = []
  for (let count = 0; count < rounds; count++) {
    well.push(await measureP99(all, false))
    withDead.push(await measureP99(all, true))
    console.log(`round ${count + 1}: p99 ${well.at(-1)} ms, with a dead receiver ${withDead.at(-1)} ms`)
  }
  const ratios = withDead.map((value, index) => value / (well[index] ?? NaN))
  console.log(
    JSON.stringify({
      rounds,
      endpoints: perTenant * tenants,
      p99Ms: median(well),
      p99MsWithDead: median(withDead),
      ratio: round(median(ratios)),
      goal: 1.2,
    }),
  )
} finally {
  for (const close of closers) close()
  await stage.stop()
  receiver.stop()
}

async function createTenant(key: string): Promise<Tenant> {
  const { write, close } = await openCatalog(stage.baseUrl, key)
  const client = await BenchClient.open(stage.baseUrl, key)
  closers.push(close, () => client.close())
  for (let index = 0; index < AGENTS; index++) {
    const agentId = { workspace: 'default', agent: [`agent-${index}`] }
    await client.post('/v1/agent/spawn', JSON.stringify({ agentId, description: 'Emit.' }))
  }
  return { client, write }
}

async function receiveFor(all: readonly Tenant[]): Promise<void> {
  for (const [index, { write }] of all.entries()) {
    for (let number = 0; number < perTenant; number++) {
      const path = index === 0 && number === 0 ? '/dead' : '/well'
      await write('integration', `hook-${number}`, { url: receiver.url(path), events: ['follow-up.queued'] })
    }
  }
}

async function measureP99(all: readonly Tenant[], isDead: boolean): Promise<number> {
  receiver.behave('/dead', isDead ? 'hang' : 'answer')
  // Written again, so that its earlier failures are forgotten.
  await all[0]?.write('integration', 'hook-0', { url: receiver.url('/dead'), events: ['follow-up.queued'] })
  await emit(all, seconds / 4)
  await receiver.count()
  await emit(all, seconds)
  await pause(DRAIN_MS)
  const { '/well': counts } = await receiver.count()
  return percentile(counts?.latenciesMs ?? [], 0.99)
}

async function emit(all: readonly Tenant[], forSeconds: number): Promise<void> {
  const startedAt = performance.now()
  for (let count = 0; performance.now() - startedAt < forSeconds * 1000; count++) {
    const agentId = { workspace: 'default', agent: [`agent-${Math.floor(count / tenants) % AGENTS}`] }
    await all[count % tenants]?.client.post(
      '/v1/agent/queue',
      JSON.stringify({ agentId, description: 'more' }),
    )
    await pause(Math.max(0, startedAt + (count + 1) * everyMs - performance.now()))
  }
}
