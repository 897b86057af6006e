import type { Task } from '@skein/contract'
import { isAtRest, isTerminal } from '@skein/contract/facts'
import {
  agentKey,
  identityOfKey,
  isLive,
  listedFromJson,
  toJson,
  toListedJson,
  type AgentEvent,
  type AgentState,
  type FollowUpBody,
} from '../../src/index.ts'
import { parentOf, type Commit, type World } from './world.ts'

function must(holds: boolean, what: string, path: string): void {
  if (!holds) throw new Error(`Broken for ${path}: ${what}`)
}

/** What must hold after every command, whatever it was. */
export function checkInvariants(world: World, commits: readonly Commit[]): void {
  must(new Set(commits.map(({ path }) => path)).size === commits.length, 'one change per agent', '')
  for (const commit of commits) {
    const { path, after, events } = commit
    freeze(after)
    freeze(events)
    checkSequence(commit)
    checkEnded(commit)
    checkRuns(commit)
    checkQueue(world, commit)
    checkDelivery(world, commit)
    checkSettings(commit)
    checkPhase(world, path, after)
    checkTasks(world, path, after)
    checkParentIsTold(commits, commit)
    checkListed(commit)
  }
  checkQueuedBytes(world)
  for (const agent of world.live()) checkAncestors(world, agent.identity.path.join('/'))
}

/** A list shows the same, whether it reads what is stored for lists or, in rows from before, the whole state. */
function checkListed({ path, after }: Commit): void {
  const shown = shownOf(after)
  must(shownOf(readBack(toListedJson(after))) === shown, 'what is stored for lists is what they show', path)
  must(shownOf(readBack(toJson(after))) === shown, 'a list can show a whole state', path)
  must(agentKey(identityOfKey(agentKey(after.identity))) === agentKey(after.identity), 'a key names it', path)
}

function readBack(json: unknown): ReturnType<typeof listedFromJson> {
  return listedFromJson(JSON.parse(JSON.stringify(json)))
}

function shownOf(agent: ReturnType<typeof listedFromJson>): string {
  const { sequence, createdAt, progressAt, repos, needsInput, awaits, usage, run } = agent
  const pause = run?.availableAt === undefined ? undefined : [run.availableAt, run.failures]
  const parts = [sequence, createdAt, progressAt, repos, needsInput, awaits.length, usage, pause]
  return JSON.stringify(parts, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
}

function checkQueuedBytes(world: World): void {
  const pending = world.live().flatMap(({ queue, deferred }) => [...queue, ...deferred])
  const bytes = pending.reduce((sum, message) => sum + (message.bytes ?? 0), 0)
  must(world.queuedBytes === bytes, 'the bytes that wait are those of the messages that wait', '')
}

/** Changing a state in place, now or in a later command, throws a TypeError. */
function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const part of Object.values(value)) freeze(part)
}

function checkSequence({ path, before, after, events }: Commit): void {
  let expected = before?.sequence ?? 0n
  for (const { sequence } of events) {
    expected += 1n
    must(sequence === expected, 'sequences have no gap', path)
  }
  must(after.sequence === expected, 'the state knows its newest event', path)
}

/**
 * An agent that has ended is left alone until it is spawned again. Only children that outlive a completed parent
 * still show on its timeline, and that does not touch its record.
 */
const AFTER_THE_END = new Set<AgentEvent['type']>(['child.phase-changed'])

function checkEnded({ path, before, after, events }: Commit): void {
  if (isTerminal(after.phase) && isLive(before)) {
    must(events.at(-1)?.event.type === 'agent.phase-changed', 'an agent’s end is its last event', path)
    must(after.queue.length + after.deferred.length === 0, 'no message waits for an ended agent', path)
  }
  if (!before || isLive(before) || events[0]?.event.type === 'agent.spawned') return
  for (const { event } of events) must(AFTER_THE_END.has(event.type), `${event.type} after the end`, path)
  for (const key of Object.keys(before) as (keyof AgentState)[]) {
    if (key === 'sequence') continue
    must(before[key] === after[key], `${key} changed after the end`, path)
  }
}

function checkRuns({ path, before, events }: Commit): void {
  let runId = before?.runCount ?? 0n
  let attempt = before?.run?.attempt ?? 0
  for (const { event } of events) {
    if (event.type === 'run.queued') {
      const isNext = event.runId === runId + 1n && event.attempt === 1
      const isRetry = event.runId === runId && event.attempt === attempt + 1
      must(isNext || isRetry, 'a run is the next one or the next attempt', path)
      runId = event.runId
      attempt = event.attempt
    } else if (event.type.startsWith('run.') && 'runId' in event) {
      must(event.runId === runId, `${event.type} belongs to the current run`, path)
    }
    if (event.type === 'run.stop-requested' && before?.run?.stopMode === 'STOP_TURN_MODE_KILL') {
      must(event.mode === 'STOP_TURN_MODE_KILL', 'a stop never softens', path)
    }
  }
}

/** First in, first out: what stays keeps its order, what is new goes to the end. */
function checkQueue(world: World, { path, before, after }: Commit): void {
  const was = before?.queue.map(({ followUpId }) => followUpId) ?? []
  const is = after.queue.map(({ followUpId }) => followUpId)
  const stayed = was.filter((id) => is.includes(id))
  must(
    stayed.every((id, index) => is[index] === id),
    'the queue keeps its order',
    path,
  )
  const rows = [...world.rows.followUps(path).values()]
  const inState = (wanted: string) => rows.filter(({ state }) => state === wanted)
  must(inState('QUEUED').length === is.length, 'queued rows are the queue', path)
  must(inState('DEFERRED').length === after.deferred.length, 'deferred rows are the deferred', path)
  const pending = [...after.queue, ...after.deferred].map(({ followUpId }) => followUpId)
  must(new Set(pending).size === pending.length, 'a message waits once', path)
}

function checkDelivery(world: World, { path, before, events }: Commit): void {
  const delivered = events.flatMap(({ event }) => (event.type === 'follow-up.delivered' ? [event] : []))
  const started = events.find(({ event }) => event.type === 'run.started')?.event
  if (started?.type !== 'run.started') return must(delivered.length === 0, 'only a start delivers', path)
  const rows = world.rows.followUps(path)
  const queue = before?.queue.map(({ followUpId }) => rows.get(followUpId)?.body) ?? []
  const expected = started.attempt === 1 ? expectedBatch(queue) : []
  must(
    delivered.length === expected.length &&
      delivered.every(({ followUpId, runId }, index) => {
        return followUpId === expected[index] && runId === started.runId
      }),
    `delivers ${expected.join()} and not ${delivered.map(({ followUpId }) => followUpId).join()}`,
    path,
  )
}

/** The batch rule, once more: the oldest, and all behind it before the next that overrides anything. */
function expectedBatch(queue: readonly (FollowUpBody | undefined)[]): string[] {
  const batch: string[] = []
  for (const body of queue) {
    if (!body || (batch.length > 0 && Object.keys(body.override).length > 0)) break
    batch.push(body.followUpId)
  }
  return batch
}

function checkSettings({ path, before, after, events }: Commit): void {
  const { settings } = after
  must(settings.model.startsWith(`${settings.backend}-`), 'the model is one of the backend', path)
  if (!before || events[0]?.event.type === 'agent.spawned') return
  must(before.settings.backend === settings.backend, 'the backend stays for life', path)
}

function checkPhase(world: World, path: string, agent: AgentState): void {
  const { phase, run, runCount, queue, awaits } = agent
  must(phase !== 'PHASE_UNSPECIFIED', 'an agent has a phase', path)
  const isPending = run?.state === 'queued' || awaits.length > 0
  must((phase === 'PHASE_PENDING') === isPending, 'pending: a run is queued, or children are awaited', path)
  must(run?.state === 'ended' || awaits.length === 0, 'an agent with a run awaits no children', path)
  for (const name of awaits) {
    const child = world.find(`${path}/${name}`)
    must(child !== undefined && !isAtRest(child.phase), 'an awaited child is at work', path)
  }
  must((phase === 'PHASE_RUNNING') === (run?.state === 'running'), 'running: a run is running', path)
  must(!isAtRest(phase) || queue.length === 0, 'nothing is queued for an agent at rest', path)
  const hasWork = queue.length > 0 || awaits.length > 0 || (run?.attempt ?? 0) > 1
  must(phase !== 'PHASE_PENDING' || hasWork, 'pending: has work', path)
  must(run === undefined || run.runId === runCount, 'the run is the newest', path)
  const rows = run?.state === 'queued' ? world.rows.dispatch : world.rows.leases
  const row = run && run.state !== 'ended' ? rows.get(path) : undefined
  if (run && run.state !== 'ended') {
    must(row?.runId === run.runId && row.attempt === run.attempt, 'its row is the current attempt', path)
  }
  const count = Number(world.rows.dispatch.has(path)) + Number(world.rows.leases.has(path))
  must(count === (row ? 1 : 0), 'a run is queued or leased, never both', path)
}

function checkTasks(world: World, path: string, agent: AgentState): void {
  const { tasks, run, settings, queue, deferred } = agent
  const byId = new Map(tasks.map((task) => [task.id, task]))
  must(byId.size === tasks.length, 'task ids are unique', path)
  for (const { id, blocks, blockedBy, persona } of tasks) {
    must(
      blocks.every((other) => byId.get(other)?.blockedBy.includes(id)),
      'blocks is symmetric',
      path,
    )
    must(
      blockedBy.every((other) => byId.get(other)?.blocks.includes(id)),
      'blockedBy is symmetric',
      path,
    )
    must(persona === '' || persona === settings.persona, 'persona tasks are of the persona', path)
  }
  must(isAcyclic(tasks), 'no task waits for itself', path)
  const isInRun = run?.state === 'running' || (run?.state === 'queued' && run.attempt > 1)
  must(isInRun || !tasks.some(({ ephemeral }) => ephemeral), 'ephemeral tasks live for one run', path)
  const listed = tasks.filter(({ status }) => status !== 'TASK_STATUS_DELETED').length
  const coming = [...queue, ...deferred].reduce((total, { taskCount }) => total + taskCount, 0)
  must(listed + coming <= world.quota.tasksPerAgent, 'tasks stay within the limit', path)
}

/** Repeatedly removes those that wait for nobody, until none is left. */
function isAcyclic(tasks: readonly Task[]): boolean {
  let left = tasks
  for (;;) {
    const ids = new Set(left.map(({ id }) => id))
    const waiting = left.filter(({ blockedBy }) => blockedBy.some((id) => ids.has(id)))
    if (waiting.length === 0) return true
    if (waiting.length === left.length) return false
    left = waiting
  }
}

function checkParentIsTold(commits: readonly Commit[], { path, events }: Commit): void {
  const parent = parentOf(path)
  if (parent === undefined) return
  const phases = events.flatMap(({ event }) => (event.type === 'agent.phase-changed' ? [event.to] : []))
  const told = commits
    .filter((commit) => commit.path === parent)
    .flatMap((commit) => commit.events)
    .flatMap(({ event }) => (event.type === 'child.phase-changed' ? [event] : []))
    .filter(({ child }) => child.path.join('/') === path)
    .map(({ phase }) => phase)
  must(phases.join() === told.join(), 'its parent sees every phase', path)
}

function checkAncestors(world: World, path: string): void {
  for (let above = parentOf(path); above !== undefined; above = parentOf(above)) {
    const phase = world.find(above)?.phase
    must(
      phase !== undefined && phase !== 'PHASE_CANCELED' && phase !== 'PHASE_FAILED',
      `${above} is dead`,
      path,
    )
  }
}
