/**
 * `npm run bench:peers -- --restate <folder>`: starting something, sending it a message and reading its state, here and on
 * an engine that people would pick instead, in turns. Each answer must show that the work was done. The last line is
 * JSON. The folder comes from `npm install --prefix <folder> @restatedev/restate-server @restatedev/restate-sdk`.
 * Options: --rounds 5 --seconds 3 --clients 64
 */
import { parseArgs } from 'node:util'
import { median, round } from '../automations/statistics.ts'
import { BenchClient } from '../http-client.ts'
import { measure, type Figure } from '../measure.ts'
import { setStage } from '../stage.ts'
import { startRestate } from './restate.ts'

const { values } = parseArgs({
  options: {
    restate: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '64' },
  },
})
if (values.restate === undefined) throw new Error('Say where Restate is installed: --restate <folder>')
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)

const STEPS = ['spawn', 'queue', 'status'] as const
type Step = (typeof STEPS)[number]
const DESCRIPTION = 'Add a test for the checkout, and fix what it finds.'
/** What the answer to a step must contain. */
const PROOF: Readonly<Record<Step, string>> = { spawn: '', queue: '', status: DESCRIPTION }

interface Peer {
  readonly name: string
  readonly clients: readonly BenchClient[]
  readonly path: (step: Step, agent: string) => string
  readonly body: (step: Step, agent: string) => object
  readonly figures: Readonly<Record<Step, Figure[]>>
}

async function openPeer(peer: Pick<Peer, 'name' | 'path' | 'body'>, url: string, key: string): Promise<Peer> {
  const clients = await Promise.all(
    Array.from({ length: Number(values.clients) }, () => BenchClient.open(url, key)),
  )
  return { ...peer, clients, figures: { spawn: [], queue: [], status: [] } }
}

/** All three steps on agents of its own, each on all of them in turn. */
async function play({ name, clients, path, body, figures }: Peer, prefix: string): Promise<void> {
  const agents: string[] = []
  for (const step of STEPS) {
    let next = 0
    const figure = await measure(
      () => {
        next += 1
        const agent = step === 'spawn' ? `${prefix}-${next}` : (agents[next % agents.length] ?? '')
        return async (client) => {
          const answer = await client.post(path(step, agent), JSON.stringify(body(step, agent)))
          if (!answer.includes(PROOF[step])) throw new Error(`${name} did not ${step}: ${answer}`)
          if (step === 'spawn') agents.push(agent)
        }
      },
      { clients, seconds, cpu: () => Promise.resolve(0) },
    )
    figures[step].push(figure)
  }
}

const restate = await startRestate(values.restate)
const stage = await setStage({ SKEIN_DATABASE_CONNECTIONS: '24' })
const peers: Peer[] = []
try {
  const skein = await openPeer(
    {
      name: 'Skein',
      path: (step) => `/v1/agent/${step}`,
      body: (step, agent) => ({
        agentId: { workspace: 'default', agent: [agent] },
        ...(step !== 'status' && { description: DESCRIPTION }),
      }),
    },
    stage.baseUrl,
    stage.adminKey,
  )
  peers.push(skein)
  const other = await openPeer(
    {
      name: 'Restate',
      path: (step, agent) => `/agent/${agent}/${step}`,
      body: (step) => (step === 'status' ? {} : { description: DESCRIPTION }),
    },
    restate.url,
    '',
  )
  peers.push(other)
  for (const peer of peers) await play(peer, 'warm-up')
  for (const { figures } of peers) for (const step of STEPS) figures[step].length = 0
  for (let count = 0; count < rounds; count++) {
    const order = count % 2 === 0 ? peers : peers.toReversed()
    for (const peer of order) await play(peer, `r${count}`)
  }
  const ratios: Record<string, number> = {}
  for (const step of STEPS) {
    for (const { name, figures } of peers) {
      const rate = median(figures[step].map(({ perSecond }) => perSecond)).toFixed(0)
      const p50 = median(figures[step].map(({ p50Ms }) => p50Ms)).toFixed(1)
      const p99 = median(figures[step].map(({ p99Ms }) => p99Ms)).toFixed(1)
      console.log(`${step.padEnd(7)} ${name.padEnd(8)} ${rate}/s, p50 ${p50} ms, p99 ${p99} ms`)
    }
    const each = skein.figures[step].map(
      ({ perSecond }, index) => perSecond / (other.figures[step][index]?.perSecond ?? NaN),
    )
    ratios[step] = round(median(each))
  }
  console.log(JSON.stringify({ rounds, clients: Number(values.clients), ratiosToRestate: ratios }))
} finally {
  for (const { clients } of peers) for (const client of clients) client.close()
  await stage.stop()
  await restate.stop()
}
