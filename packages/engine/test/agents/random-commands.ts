import { randomUUID } from 'node:crypto'
import {
  clearFollowUps,
  endRun,
  createTasks,
  heartbeatRuns,
  killAgent,
  pollRuns,
  queueFollowUp,
  readStatus,
  removeFollowUp,
  spawnAgent,
  stopTurn,
  Sweeper,
  updateTasks,
} from '@skein/engine'
import type { Client } from 'pg'
import type { Choices } from './choices.ts'
import { contextOf, targetOf, type FleetClient } from './fleet.ts'
import { randomFollowUp, randomOutcome, randomSpawn, randomTasks, randomUpdates } from './random-requests.ts'

export interface CommandSetting extends FleetClient {
  readonly choices: Choices
  /** A connection of the tables' owner, to make leases run out. */
  readonly owner: Client
}

type Command = (setting: CommandSetting) => Promise<unknown>

const ROOTS = ['a', 'b', 'c', 'd', 'e', 'f'] as const
const MAX_LEVELS = 3
const STOP_MODES = ['STOP_TURN_MODE_INTERRUPT', 'STOP_TURN_MODE_KILL'] as const

/** Few enough agents that clients meet on each of them. */
function anyPath(choices: Choices): string {
  const levels = choices.pick([1, 1, 1, 2, 2, MAX_LEVELS])
  const below = Array.from({ length: levels - 1 }, () => choices.pick(['x', 'y']))
  return [choices.pick(ROOTS), ...below].join('/')
}

/** Half of the commands carry a key; what is under test holds for both. */
function context({ fleet, choices }: CommandSetting) {
  return contextOf(fleet, choices.percent(50) ? randomUUID() : undefined)
}

const spawn: Command = (setting) => {
  const { engine, fleet, choices } = setting
  const command = context(setting)
  return spawnAgent(engine, fleet.caller, () => command, randomSpawn(choices, anyPath(choices)))
}

const queue: Command = (setting) => {
  const { engine, fleet, choices } = setting
  const path = anyPath(choices)
  const known = fleet.followUpIds.get(path) ?? []
  const id = (choices.percent(8) ? choices.any(known) : undefined) ?? randomUUID()
  fleet.followUpIds.set(path, [...known, id])
  return queueFollowUp(engine, context(setting), targetOf(fleet, path), randomFollowUp(choices, path, id))
}

const remove: Command = (setting) => {
  const { engine, fleet, choices } = setting
  const path = anyPath(choices)
  const id = choices.any(fleet.followUpIds.get(path)?.slice(-10) ?? []) ?? 'nothing'
  return removeFollowUp(engine, context(setting), targetOf(fleet, path), id)
}

const clear: Command = (setting) =>
  clearFollowUps(setting.engine, context(setting), targetOf(setting.fleet, anyPath(setting.choices)))

const stop: Command = async (setting) => {
  const { engine, fleet, choices } = setting
  const target = targetOf(fleet, anyPath(choices))
  const runId = BigInt((await readStatus(engine, target)).runCount)
  const mode = choices.pick(STOP_MODES)
  return stopTurn(engine, context(setting), target, { runId, mode })
}

const kill: Command = (setting) =>
  killAgent(setting.engine, context(setting), targetOf(setting.fleet, anyPath(setting.choices)))

const addTasks: Command = (setting) => {
  const { engine, fleet, choices } = setting
  return createTasks(engine, context(setting), targetOf(fleet, anyPath(choices)), randomTasks(choices))
}

const changeTasks: Command = (setting) => {
  const { engine, fleet, choices } = setting
  return updateTasks(engine, context(setting), targetOf(fleet, anyPath(choices)), randomUpdates(choices))
}

/** A request that nobody waits for or cancels. */
const atOnce = () => ({ deadlineMs: Date.now(), signal: new AbortController().signal })

const start: Command = async ({ engine, fleet, choices }) => {
  const capacity = 1 + choices.below(4)
  const runs = await pollRuns(engine, fleet.runner, {
    pools: ['default'],
    capacity,
    ...atOnce(),
  })
  for (const { lease } of runs) fleet.leases.add(lease)
}

const progress: Command = async ({ engine, fleet, choices }) => {
  const leases = choices.some([...fleet.leases], 30)
  if (leases.length === 0) return
  const usage = { cost: 0.25, inputTokens: '10', cachedInputTokens: '0', outputTokens: '2' }
  const runs = leases.map((lease) => ({
    lease,
    reportId: choices.pick(['once', randomUUID()]),
    events: [
      { type: 'run.message' as const, text: 'Hm' },
      { type: 'run.pushed' as const, repo: 'r', ref: 'main', commit: 'c', files: ['src/a.ts'] },
    ],
    ...(choices.percent(50) && { usage }),
  }))
  await heartbeatRuns(engine, fleet.runner, runs, atOnce())
}

const complete: Command = async ({ engine, fleet, choices }) => {
  const lease = choices.any([...fleet.leases])
  if (lease === undefined) return
  // Now and then another client reports the same end at the same time.
  if (choices.percent(90)) fleet.leases.delete(lease)
  await endRun(engine, fleet.runner, { lease, outcome: randomOutcome(choices) })
}

/** The runner of some run falls silent, and a server notices. */
const lose: Command = async (setting) => {
  await setting.owner.query(
    `update lease set expires_at = '-infinity' where agent_id in (
       select agent_id from lease where tenant_id = $1 order by agent_id offset $2 limit 1 for update skip locked)`,
    [setting.fleet.tenantId, setting.choices.below(3)],
  )
  await sweep(setting)
}

const sweep: Command = ({ engine }) =>
  new Sweeper(engine, (error) => {
    throw error
  }).sweep()

const WEIGHTS: readonly [Command, number][] = [
  [spawn, 22],
  [queue, 24],
  [remove, 5],
  [clear, 2],
  [stop, 4],
  [kill, 2],
  [addTasks, 4],
  [changeTasks, 6],
  [start, 14],
  [progress, 6],
  [complete, 14],
  [lose, 2],
  [sweep, 2],
]
const COMMANDS = WEIGHTS.flatMap(([command, weight]) => Array.from({ length: weight }, () => command))

export async function randomCommand(setting: CommandSetting): Promise<void> {
  await setting.choices.any(COMMANDS)?.(setting)
}
