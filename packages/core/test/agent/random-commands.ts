import type { Phase, Task } from '@skein/contract'
import { isTerminal } from '@skein/contract/facts'
import {
  isLive,
  MAX_ATTEMPTS,
  openTasks,
  type AgentState,
  type Attempt,
  type ProgressEvent,
  type RunOutcome,
} from '../../src/index.ts'
import { pushOf, refusalOf } from './builders.ts'
import type { Choices } from './choices.ts'
import {
  randomFollowUp,
  randomOutcome,
  randomResume,
  randomSpawn,
  randomTasks,
  randomUpdate,
  randomUsage,
} from './random-facts.ts'
import { parentOf, RETENTION_MS, type World } from './world.ts'

/** One command, with what it must answer written down independently of the rules under test. */
type Command = (world: World, choices: Choices) => void

const MAX_LEVELS = 4
const STOP_MODES = ['STOP_TURN_MODE_UNSPECIFIED', 'STOP_TURN_MODE_INTERRUPT', 'STOP_TURN_MODE_KILL'] as const

const CHATTER: readonly ProgressEvent[] = [
  { type: 'run.message', runId: 0n, text: 'Hm' },
  { type: 'run.progressed', runId: 0n, message: 'Reading' },
  { type: 'run.tool-started', runId: 0n, callId: '1', tool: 'grep', input: '{}' },
  {
    type: 'run.tool-called',
    runId: 0n,
    callId: '1',
    tool: 'grep',
    input: '{}',
    output: 'found',
    failed: false,
  },
]

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`Expected that ${what}`)
}

function anyPath(world: World, choices: Choices): string {
  return choices.any([...world.agents.keys()]) ?? 'a'
}

/** Where a command goes: mostly to live agents, sometimes to ended ones, occasionally to none. */
function target(world: World, choices: Choices): string {
  const live = choices.percent(80) ? choices.any(world.live()) : undefined
  if (live) return live.identity.path.join('/')
  return choices.percent(95) ? anyPath(world, choices) : 'nobody'
}

const spawn: Command = (world, choices) => {
  const parent = choices.percent(65) ? target(world, choices) : undefined
  const isDeep = parent !== undefined && parent.split('/').length >= MAX_LEVELS
  const path = parent !== undefined && !isDeep ? `${parent}/${choices.pick(['x', 'y', 'z'])}` : undefined
  spawnAt(world, choices, path ?? choices.pick(['a', 'b', 'c']))
}

const respawn: Command = (world, choices) => spawnAt(world, choices, anyPath(world, choices))

function spawnAt(world: World, choices: Choices, path: string): void {
  const parent = parentOf(path)
  const isOrphan = parent !== undefined && !isLive(world.find(parent))
  const expected = isLive(world.find(path))
    ? 'AGENT_ALREADY_EXISTS'
    : isOrphan
      ? 'PARENT_NOT_LIVE'
      : undefined
  const refusal = refusalOf(() => world.spawn(path, randomSpawn(choices, world)))
  if (expected !== undefined) must(refusal === expected, `spawn is refused with ${expected}`)
  else if (refusal === undefined) must(world.phase(path) === 'PHASE_PENDING', 'a spawned agent is pending')
}

const resume: Command = (world, choices) => {
  const path = choices.percent(90) ? anyPath(world, choices) : 'nobody'
  const before = world.find(path)
  const parent = parentOf(path)
  const isOrphan = parent !== undefined && !isLive(world.find(parent))
  const expected = !before
    ? 'AGENT_NOT_FOUND'
    : isLive(before)
      ? 'AGENT_ALREADY_EXISTS'
      : before.session !== '' && (before.endedAt ?? 0) <= world.now - RETENTION_MS
        ? 'SESSION_EXPIRED'
        : isOrphan
          ? 'PARENT_NOT_LIVE'
          : undefined
  const command = randomResume(choices, world, path)
  const refusal = refusalOf(() => world.resume(path, command))
  if (expected !== undefined) return must(refusal === expected, `resume is refused with ${expected}`)
  if (refusal !== undefined || !before) return
  const { session, phase, tasks, incarnation, costBeforeMicros } = world.agent(path)
  must(phase === 'PHASE_PENDING' && incarnation === before.incarnation + 1, 'a resumed agent lives again')
  must(session === before.session, 'a resumed agent keeps its conversation')
  must(costBeforeMicros === before.costBeforeMicros, 'a resumed agent keeps what it has spent of its budget')
  const isLeft = ({ status, persona }: Task) =>
    (status === 'TASK_STATUS_PENDING' || status === 'TASK_STATUS_IN_PROGRESS') &&
    (persona === '' || command.personaTasks === undefined)
  const kept = new Set(tasks.map(({ id }) => id))
  must(
    before.tasks.filter(isLeft).every(({ id }) => kept.has(id)),
    'a resumed agent keeps its open tasks',
  )
}

const queue: Command = (world, choices) => {
  const path = target(world, choices)
  const before = world.find(path)
  const command = randomFollowUp(choices, world, path)
  const isKnown = world.rows.isTaken(path, command.followUpId ?? '')
  const expected = !before ? 'AGENT_NOT_FOUND' : isLive(before) || isKnown ? undefined : 'AGENT_NOT_RUNNING'
  const refusal = refusalOf(() => world.queue(path, command))
  if (isKnown) must(refusal === undefined && world.find(path) === before, 'a known message changes nothing')
  if (expected !== undefined) must(refusal === expected, `queue is refused with ${expected}`)
  if (refusal !== undefined || isKnown || command.deliverAt !== undefined) return
  const { phase, queue: queued } = world.agent(path)
  must(phase === 'PHASE_PENDING' || phase === 'PHASE_RUNNING', 'a message wakes its agent')
  must(queued.at(-1)?.followUpId === command.followUpId, 'a message goes to the end of the queue')
  if (command.preempt === true) must(queued.length === 1, 'a preempting message is alone in the queue')
}

const remove: Command = (world, choices) => {
  const path = target(world, choices)
  const followUpId = choices.any([...world.rows.followUps(path).keys()]) ?? 'nothing'
  const state = world.rows.followUps(path).get(followUpId)?.state
  if (!world.find(path))
    return must(refusalOf(() => world.remove(path, followUpId)) === 'AGENT_NOT_FOUND', '404')
  const { removed } = world.remove(path, followUpId)
  must(removed === (state === 'QUEUED' || state === 'DEFERRED'), 'exactly the undelivered are removed')
}

const clear: Command = (world, choices) => {
  const path = target(world, choices)
  const queued = world.find(path)?.queue.length
  if (queued === undefined) return must(refusalOf(() => world.clear(path)) === 'AGENT_NOT_FOUND', '404')
  must(world.clear(path).cleared === queued, 'clear counts what it discards')
  must(world.agent(path).queue.length === 0, 'clear leaves nothing queued')
}

/** The sweeper: on time, too early, or for a timer that another server has served already. */
const timer: Command = (world, choices) => {
  const next = world.rows.timers()[0]
  if (next && choices.percent(70)) world.now = Math.max(world.now, next.dueAt)
  for (const { path, followUpId, dueAt } of world.rows.timers()) {
    world.due(path, followUpId)
    const state = world.rows.followUps(path).get(followUpId)?.state
    must((state === 'DEFERRED') === dueAt > world.now, 'a message comes due at its time and not before')
  }
  const path = anyPath(world, choices)
  const known = choices.any([...world.rows.followUps(path).keys()])
  const before = world.find(path)
  if (known !== undefined && !before?.deferred.some(({ followUpId }) => followUpId === known)) {
    world.due(path, known)
    must(world.find(path) === before, 'a message comes due once')
  }
}

/** An attempt that a runner may speak of: mostly the current one, else one from the past or the future. */
function anyAttempt(rows: ReadonlyMap<string, Attempt>, world: World, choices: Choices) {
  const path = (choices.percent(92) ? choices.any([...rows.keys()]) : undefined) ?? target(world, choices)
  const current = rows.get(path) ?? { runId: world.find(path)?.runCount ?? 1n, attempt: 1 }
  if (choices.percent(88)) return { path, attempt: current }
  const attempt = {
    runId: current.runId + BigInt(choices.pick([0, 0, -1, 1])),
    attempt: current.attempt + choices.pick([0, -1, 1]),
  }
  return { path, attempt }
}

/** Carries out a runner's report, and checks that a stale one is rejected and changes nothing. */
function report(
  world: World,
  rows: ReadonlyMap<string, Attempt>,
  path: string,
  attempt: Attempt,
  act: () => boolean,
) {
  const row = rows.get(path)
  const isCurrent = row?.runId === attempt.runId && row.attempt === attempt.attempt
  const before = world.find(path)
  must(act() === isCurrent, 'exactly the current attempt is heard')
  if (!isCurrent) must(world.find(path) === before, 'a stale attempt changes nothing')
  return isCurrent
}

const start: Command = (world, choices) => {
  const { path, attempt } = anyAttempt(world.rows.dispatch, world, choices)
  const isStarted = report(world, world.rows.dispatch, path, attempt, () => world.start(path, attempt))
  if (isStarted) must(world.phase(path) === 'PHASE_RUNNING', 'a started run is running')
}

const progress: Command = (world, choices) => {
  const { path, attempt } = anyAttempt(world.rows.leases, world, choices)
  const session = choices.percent(30) ? world.mint('session') : undefined
  const events = [...choices.some([pushOf('a.ts'), pushOf('b.md')], 40), ...choices.some(CHATTER, 30)]
  report(world, world.rows.leases, path, attempt, () =>
    world.progress(path, events, attempt, randomUsage(choices), session),
  )
}

const end: Command = (world, choices) => {
  const { path, attempt } = anyAttempt(world.rows.leases, world, choices)
  const outcome = randomOutcome(choices)
  const before = world.find(path)
  const isEnded = report(world, world.rows.leases, path, attempt, () => world.end(path, outcome, attempt))
  if (isEnded && before) {
    const expected = phaseAfter(world, before, outcome)
    must(world.phase(path) === expected, `${outcome.reason} leads to ${expected}, not ${world.phase(path)}`)
  }
}

/** The phase table, once more. */
function phaseAfter(world: World, agent: AgentState, { reason, error, awaits }: RunOutcome): Phase {
  const isStopping = agent.run?.stopMode !== 'STOP_TURN_MODE_UNSPECIFIED'
  if (reason === 'failed' && error?.isRetryable !== true) return 'PHASE_FAILED'
  const isLast = (agent.run?.failures ?? 0) + 1 >= MAX_ATTEMPTS
  if (reason === 'failed' && !isStopping) return isLast ? 'PHASE_FAILED' : 'PHASE_PENDING'
  if (reason === 'paused' && !isStopping) return 'PHASE_PENDING'
  const awaited = awaits.some((name) => world.find([...agent.identity.path, name].join('/')))
  if (agent.queue.length > 0 || (reason === 'rested' && awaited)) return 'PHASE_PENDING'
  const lasting = agent.tasks.filter(({ ephemeral }) => !ephemeral)
  const isDone = openTasks(lasting, agent.run?.activeTaskIds ?? []).length === 0
  const wantsToEnd = reason === 'finished' || (reason === 'rested' && agent.autoComplete)
  return wantsToEnd && isDone ? 'PHASE_COMPLETED' : 'PHASE_WAITING'
}

const lose: Command = (world, choices) => {
  const { path, attempt } = anyAttempt(world.rows.leases, world, choices)
  report(world, world.rows.leases, path, attempt, () => world.lose(path, attempt))
}

const stop: Command = (world, choices) => {
  const { path, attempt } = anyAttempt(world.rows.leases, world, choices)
  const runId = choices.percent(5) ? undefined : attempt.runId
  const mode = choices.pick(STOP_MODES)
  const isCurrent = runId !== undefined && world.rows.leases.get(path)?.runId === runId
  const expected = !world.find(path) ? 'AGENT_NOT_FOUND' : isCurrent ? undefined : 'RUN_NOT_CURRENT'
  must(refusalOf(() => world.stop(path, runId, mode)) === expected, 'a stop names the run in progress')
}

const kill: Command = (world, choices) => {
  const path = target(world, choices)
  const before = world.find(path)
  const refusal = refusalOf(() => world.kill(path))
  if (!before) return must(refusal === 'AGENT_NOT_FOUND', '404')
  const expected = isTerminal(before.phase) ? before.phase : 'PHASE_CANCELED'
  must(world.phase(path) === expected, 'a kill cancels what is alive')
  must(!world.subtree(path).some(isLive), 'a kill leaves nobody alive below')
}

const setBudget: Command = (world, choices) => {
  const path = target(world, choices)
  const before = world.find(path)
  const spent = BigInt(choices.below(3))
  const budget = BigInt(choices.below(4))
  const refusal = refusalOf(() => world.setBudget(path, budget, spent))
  if (!before) return must(refusal === 'AGENT_NOT_FOUND', '404')
  if (isTerminal(before.phase)) return must(refusal === 'AGENT_NOT_RUNNING', 'a dead agent needs no money')
  must(world.agent(path).maxCostMicros === budget, 'the budget is what was asked')
  const held = [world.agent(path), ...world.subtree(path)].filter(
    ({ phase, run }) => phase === 'PHASE_WAITING' && run?.limit === 'budget',
  )
  must(held.length === 0 || (budget > 0n && budget <= spent), 'with room nobody is held any more')
}

const createTasks: Command = (world, choices) => {
  const path = target(world, choices)
  refusalOf(() => world.createTasks(path, randomTasks(choices, world.find(path))))
}

const updateTasks: Command = (world, choices) => {
  const path = target(world, choices)
  const updates = Array.from({ length: 1 + choices.below(2) }, () => randomUpdate(choices, world.find(path)))
  refusalOf(() => world.updateTasks(path, updates))
}

const WEIGHTS: readonly [Command, number][] = [
  [spawn, 9],
  [respawn, 3],
  [resume, 3],
  [queue, 24],
  [remove, 4],
  [clear, 2],
  [timer, 4],
  [start, 17],
  [progress, 7],
  [end, 13],
  [lose, 3],
  [stop, 4],
  [kill, 1],
  [setBudget, 2],
  [createTasks, 4],
  [updateTasks, 6],
]
const COMMANDS = WEIGHTS.flatMap(([command, weight]) => Array.from({ length: weight }, () => command))

/** Time passes, and something happens. */
export function randomCommand(world: World, choices: Choices): void {
  world.now += choices.below(300)
  choices.any(COMMANDS)?.(world, choices)
}
