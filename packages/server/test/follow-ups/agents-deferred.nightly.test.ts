import { waitFor } from '@skein/testkit'
import { afterEach, expect, test } from 'vitest'
import {
  createRunnerKey,
  Fleet,
  inParallel,
  prepareTenant,
  serverSettings,
  startRunnerProcess,
  untilPhase,
  type Event,
  type RunnerProcess,
} from './agents-fleet.ts'
import { endProcesses, startServer } from '../process/skein-process.ts'

const script = new URL('agents-runner.ts', import.meta.url)

const SPAN_MS = 60_000
const DELIVERED_WITHIN_MS = 2_000
const MESSAGES = 1_000
const AGENTS = 250
const SERVERS = 2
const CALLERS = 16

let runners: RunnerProcess[] = []

afterEach(async () => {
  await endAll('SIGKILL')
})

async function endAll(signal: NodeJS.Signals): Promise<void> {
  for (const runner of runners) runner.signal(signal)
  await Promise.all(runners.map(({ ended }) => ended))
  runners = []
  await endProcesses()
}

interface Message {
  readonly agent: string
  readonly followUpId: string
  readonly deliverAt: number
}

test(`${MESSAGES} deferred messages survive a restart of everything: each once, none early, none late`, async () => {
  const { database, key } = await prepareTenant()
  const fleet = new Fleet('', key)
  let runnerKeys: string[] = []
  const startAll = async (): Promise<void> => {
    const settings = serverSettings(database, 2_000)
    const urls = await Promise.all(
      Array.from(
        { length: SERVERS },
        async () => (await startServer({ ...settings, SKEIN_LOG_LEVEL: 'info' })).url,
      ),
    )
    fleet.url = urls[0] ?? ''
    if (runnerKeys.length === 0) {
      runnerKeys = await Promise.all(urls.map((url, index) => createRunnerKey(url, key, `runner-${index}`)))
    }
    runners = urls.map((url, index) =>
      startRunnerProcess(script, { SKEIN_URL: url, SKEIN_API_KEY: runnerKeys[index] ?? '' }),
    )
    const isUp = () => runners.every(({ output }) => output.includes('ready'))
    await waitFor(isUp, { what: 'the runners to be ready', timeoutMs: 60_000 })
  }
  await startAll()
  const agents = Array.from({ length: AGENTS }, (_, index) => `agent-${index}`)
  await inParallel(agents, CALLERS, async (agent) => {
    await fleet.command('spawn', agent, { description: 'Begin' })
  })
  await inParallel(agents, CALLERS, async (agent) => void (await untilPhase(fleet, agent, 'PHASE_WAITING')))

  const firstAt = Date.now() + 20_000
  const messages = Array.from({ length: MESSAGES }, (_, index) => ({
    agent: `agent-${index % AGENTS}`,
    followUpId: `message-${index}`,
    deliverAt: firstAt + Math.floor((SPAN_MS * ((index * 7_919) % MESSAGES)) / MESSAGES),
  }))
  await inParallel(messages, CALLERS, async ({ agent, followUpId, deliverAt }) => {
    const answer = await fleet.command('queue', agent, {
      followUpId,
      description: 'Later',
      deliverAt: new Date(deliverAt).toISOString(),
    })
    expect(answer).toMatchObject({ status: 200 })
  })

  await waitFor(() => Date.now() >= firstAt + SPAN_MS / 2, { what: 'half-time', timeoutMs: 20_000 + SPAN_MS })
  const downAt = Date.now()
  await endAll('SIGKILL')
  await startAll()
  const upAt = Date.now()

  await waitFor(() => Date.now() >= firstAt + SPAN_MS, { what: 'the last one to be due', timeoutMs: SPAN_MS })
  const timelines = new Map<string, Event[]>()
  await inParallel(agents, CALLERS, async (agent) => {
    const isDone = async (): Promise<boolean> => {
      timelines.set(agent, await fleet.timeline(agent))
      return count(timelines.get(agent), 'follow-up.delivered') === 1 + MESSAGES / AGENTS
    }
    await waitFor(isDone, { what: `${agent} to get its messages`, timeoutMs: 60_000, intervalMs: 250 })
  })

  const outcomes = messages.map((message) => outcomeOf(message, timelines.get(message.agent) ?? []))
  // What was due just before the end may not have been reached in time.
  const isDuringOutage = ({ deliverAt }: Message): boolean => deliverAt >= downAt - 1_000 && deliverAt < upAt
  const inTime = outcomes.filter((outcome) => !isDuringOutage(outcome))
  const caughtUp = outcomes.filter(isDuringOutage)
  const dueLate = inTime.map(({ dueAt, deliverAt }) => dueAt - deliverAt)
  const deliveredLate = inTime.map(({ deliveredAt, deliverAt }) => deliveredAt - deliverAt)
  const deliveredAfterUp = caughtUp.map(({ deliveredAt }) => Math.max(0, deliveredAt - upAt))
  console.log(
    [
      `${MESSAGES} messages within ${SPAN_MS} ms; everything down for ${upAt - downAt} ms in between`,
      `${inTime.length} due while up: came due ${describe(dueLate)} late, were delivered ${describe(deliveredLate)} late`,
      `${caughtUp.length} due while down: were delivered ${describe(deliveredAfterUp)} after everything was up`,
    ].join('\n'),
  )
  expect(outcomes.filter(({ dueAt, deliverAt }) => dueAt < deliverAt)).toEqual([])
  expect(inTime.length).toBeGreaterThan(MESSAGES / 4)
  expect(percentile(dueLate, 0.99)).toBeLessThan(2_000)
  expect(percentile(deliveredLate, 0.99)).toBeLessThan(DELIVERED_WITHIN_MS)
  expect(
    percentile(
      caughtUp.map(({ dueAt }) => dueAt - upAt),
      0.99,
    ),
  ).toBeLessThan(2_000)
  await endAll('SIGKILL')
  await database.drop()
}, 300_000)

interface Outcome extends Message {
  readonly dueAt: number
  readonly deliveredAt: number
}

/** Each happened once, or the test fails. */
function outcomeOf(message: Message, events: readonly Event[]): Outcome {
  const [dueAt = 0, deliveredAt = 0] = ['follow-up.due', 'follow-up.delivered'].map((wanted) => {
    const found = events.filter(
      ({ type, followUpId }) => type === wanted && followUpId === message.followUpId,
    )
    expect(found).toHaveLength(1)
    return Date.parse(found[0]?.time ?? '')
  })
  return { ...message, dueAt, deliveredAt }
}

function count(events: readonly Event[] | undefined, type: string): number {
  return events?.filter((event) => event.type === type).length ?? 0
}

function percentile(values: readonly number[] | undefined, share: number): number {
  const sorted = values?.toSorted((left, right) => left - right) ?? []
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Infinity
}

function describe(values: readonly number[] | undefined): string {
  return `p50 ${percentile(values, 0.5)} ms, p99 ${percentile(values, 0.99)} ms, max ${percentile(values, 1)} ms`
}
