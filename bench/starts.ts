import { join } from 'node:path'
import type { Transport } from '@skein/client'
import { agentStatus, queueFollowUp, spawnAgent, waitForAgent } from '@skein/contract'
import { inlineScript, type Simulator } from '@skein/simulator'
import { claudeByHand, codexByHand, type RunByHand } from './by-hand.ts'
import { spreadOf, type Spread } from './rounds.ts'

export const MODELS = { claude: 'claude-sonnet-5', codex: 'gpt-5.5' } as const
export type ProgramName = keyof typeof MODELS

const BY_HAND: Readonly<Record<ProgramName, RunByHand>> = { claude: claudeByHand, codex: codexByHand }

export interface StartsOptions {
  readonly api: Transport
  readonly simulator: Simulator
  readonly folder: string
  readonly samples: number
}

/** Milliseconds since the turn was asked for. */
interface Times {
  readonly firstRequest: number
  readonly finish: number
}

interface Round {
  readonly cold: Times
  readonly warm: Times
  readonly byHand: Times
}

export interface StartRatios {
  readonly coldStart: Spread
  readonly finish: Spread
}

/**
 * From a spawn to the first model request and to a client that knows the end, against the same program by hand. They
 * take turns, because a shared machine changes its speed within minutes. The first round only warms up.
 */
export async function measureStarts(name: ProgramName, options: StartsOptions): Promise<StartRatios> {
  const rounds: Round[] = []
  for (let round = 0; round <= options.samples; round++) {
    const byHandFirst = round % 2 === 0 ? await runByHand(name, round, options) : undefined
    const { cold, warm } = await runInSkein(name, round, options)
    const byHand = byHandFirst ?? (await runByHand(name, round, options))
    if (round > 0) rounds.push({ cold, warm, byHand })
  }
  for (const [label, times] of [
    ['Skein', rounds.map(({ cold }) => cold)],
    ['by hand', rounds.map(({ byHand }) => byHand)],
    ['Skein, next turn', rounds.map(({ warm }) => warm)],
  ] as const) {
    const first = spreadOf(times.map(({ firstRequest }) => firstRequest))
    const finish = spreadOf(times.map((each) => each.finish))
    console.log(
      `  ${name.padEnd(7)} ${label.padEnd(17)} first model request ${describe(first, 0)} ms, finish ${describe(finish, 0)} ms`,
    )
  }
  const ratios = {
    coldStart: spreadOf(rounds.map(({ cold, byHand }) => cold.firstRequest / byHand.firstRequest)),
    finish: spreadOf(rounds.map(({ cold, byHand }) => cold.finish / byHand.finish)),
  }
  console.log(
    `  ${name.padEnd(7)} ratio             first model request ${describe(ratios.coldStart, 2)}, goal 1.15; finish ${describe(ratios.finish, 2)}, goal 1.25`,
  )
  return ratios
}

async function runByHand(name: ProgramName, round: number, options: StartsOptions): Promise<Times> {
  const { simulator, folder } = options
  return untilEnd(simulator, () =>
    BY_HAND[name]({
      folder: join(folder, `${name}-${round}`),
      simulatorUrl: simulator.url,
      model: MODELS[name],
      prompt: promptOf('Hello.'),
    }),
  )
}

/** A new agent's first turn, and its second while its program is still there. */
async function runInSkein(
  name: ProgramName,
  round: number,
  { api, simulator }: StartsOptions,
): Promise<Omit<Round, 'byHand'>> {
  const agentId = { workspace: 'default', agent: [`start-${name}-${round}`] }
  const cold = await untilEnd(simulator, async () => {
    const description = promptOf('Hello.')
    await api.call(spawnAgent, { body: { agentId, model: MODELS[name], description } })
    await api.call(waitForAgent, { body: { agentId } })
    return Date.now()
  })
  await checkEnd(api, agentId)
  const warm = await untilEnd(simulator, async () => {
    await api.call(queueFollowUp, { body: { agentId, description: promptOf('Again.') } })
    await api.call(waitForAgent, { body: { agentId } })
    return Date.now()
  })
  await checkEnd(api, agentId)
  return { cold, warm }
}

/** A turn that failed or was repeated does not count. */
async function checkEnd(api: Transport, agentId: { workspace: string; agent: string[] }): Promise<void> {
  const { run } = await api.call(agentStatus, { body: { agentId } })
  if (run.endReason !== 'rested' || run.attempt !== 1)
    throw new Error(`The turn did not go as planned: ${JSON.stringify(run)}`)
}

async function untilEnd(simulator: Simulator, work: () => Promise<number>): Promise<Times> {
  const known = simulator.requests.length
  const beganAt = Date.now()
  const endedAt = await work()
  const requests = simulator.requests.slice(known).filter(({ isSide }) => !isSide)
  const [first] = requests
  if (!first || requests.length !== 1) throw new Error(`One model request, not ${requests.length}`)
  return { firstRequest: first.startedAt - beganAt, finish: endedAt - beganAt }
}

function promptOf(answer: string): string {
  return `Do this.\n\n${inlineScript([{ say: answer }])}`
}

function describe({ median, least, most }: Spread, digits: number): string {
  return `${median.toFixed(digits)} [${least.toFixed(digits)}–${most.toFixed(digits)}]`
}
