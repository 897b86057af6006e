import type { Phase, StopTurnMode, Task, TaskUpdate } from '@skein/contract'
import {
  clearFollowUps,
  createTasks,
  deliverDeferred,
  deliveryBatch,
  endRun,
  isDescendant,
  isKnownFollowUp,
  isLive,
  killAgent,
  loseAttempt,
  queueFollowUp,
  removeFollowUp,
  reportProgress,
  resumeAgent,
  setBudget,
  spawnAgent,
  startRun,
  stopTurn,
  updateTasks,
  type AgentEvent,
  type AgentState,
  type Attempt,
  type Decision,
  type ProgressEvent,
  type QueueFollowUp,
  type Quota,
  type RecordedEvent,
  type ResumeAgent,
  type RunOutcome,
  type SpawnAgent,
  type SteerReport,
  type Usage,
} from '../../src/index.ts'
import { followUpOf, identityOf, QUOTA, resumeOf, spawnOf } from './builders.ts'
import { EngineRows } from './engine-rows.ts'

/** How long an agent can be continued. */
export const RETENTION_MS = 30 * 86_400_000

/** What one command did to one agent. */
export interface Commit {
  readonly path: string
  readonly before: AgentState | undefined
  readonly after: AgentState
  readonly events: readonly RecordedEvent[]
}

/** Sees every decision right after it was written. */
export type Observer = (world: World, commits: readonly Commit[]) => void

/** A tenant in memory. It does for each command what the engine does: look up, ask core, write. */
export class World {
  now = 1_750_000_000_000
  quota: Quota = QUOTA
  canDefer = true
  /** As the engine adds it up. */
  queuedBytes = 0
  readonly agents = new Map<string, AgentState>()
  readonly timelines = new Map<string, RecordedEvent[]>()
  readonly rows = new EngineRows()
  readonly #observe: Observer
  #minted = 0

  constructor(observe: Observer = () => {}) {
    this.#observe = observe
  }

  find(path: string): AgentState | undefined {
    return this.agents.get(path)
  }

  agent(path: string): AgentState {
    const agent = this.agents.get(path)
    if (!agent) throw new Error(`The test spawned no ${path}`)
    return agent
  }

  phase(path: string): Phase {
    return this.agent(path).phase
  }

  /** The attempt that the agent's run is in. */
  attempt(path: string): Attempt {
    const { run } = this.agent(path)
    return { runId: run?.runId ?? 0n, attempt: run?.attempt ?? 0 }
  }

  events(path: string): AgentEvent[] {
    return (this.timelines.get(path) ?? []).map(({ event }) => event)
  }

  mint(kind: string): string {
    this.#minted += 1
    return `${kind}-${this.#minted}`
  }

  spawn(path: string, facts: Partial<SpawnAgent> = {}, budgetLeftMicros?: bigint) {
    const command = spawnOf(path, this.mint('agent'), facts)
    return this.#apply(
      spawnAgent(command, {
        existing: this.find(path),
        parent: this.#parent(path),
        quota: this.quota,
        liveAgents: this.live().length,
        queuedBytes: this.queuedBytes,
        liveChildrenOfParent: this.#liveChildren(parentOf(path)),
        budgetLeftMicros,
        costBeforeMicros: 0n,
        now: this.now,
      }),
    )
  }

  resume(path: string, facts: Partial<ResumeAgent> = {}, budgetLeftMicros?: bigint) {
    const command = resumeOf(path, this.mint('again'), facts)
    const existing = this.find(path)
    return this.#apply(
      resumeAgent(command, {
        existing,
        parent: this.#parent(path),
        quota: this.quota,
        liveAgents: this.live().length,
        queuedBytes: this.queuedBytes,
        liveChildrenOfParent: this.#liveChildren(parentOf(path)),
        budgetLeftMicros,
        costBeforeMicros: existing?.usage.costMicros ?? 0n,
        retentionMs: RETENTION_MS,
        now: this.now,
      }),
    )
  }

  queue(path: string, facts: Partial<QueueFollowUp> = {}) {
    const command = followUpOf(facts.followUpId ?? this.mint('message'), facts)
    return this.#apply(
      queueFollowUp(command, {
        ...this.#context(path),
        isKnown: isKnownFollowUp(this.find(path), this.rows.followUps(path).get(command.followUpId)),
        quota: this.quota,
        queuedBytes: this.queuedBytes,
        canDefer: this.canDefer,
      }),
    )
  }

  remove(path: string, followUpId: string) {
    return this.#apply(removeFollowUp(followUpId, this.#context(path)))
  }

  clear(path: string) {
    return this.#apply(clearFollowUps(this.#context(path)))
  }

  /** A timer goes off, rightly or not. */
  due(path: string, followUpId: string): void {
    this.#apply(deliverDeferred(followUpId, this.#context(path)))
  }

  start(path: string, attempt: Attempt = this.attempt(path)): boolean {
    const bodies = this.rows.followUps(path)
    const queue = attempt.attempt === 1 ? (this.find(path)?.queue ?? []) : []
    const batch = deliveryBatch(queue).flatMap(({ followUpId }) => bodies.get(followUpId)?.body ?? [])
    return this.#apply(startRun({ ...attempt, runner: 'runner-1', batch }, this.#context(path))).isStarted
  }

  progress(
    path: string,
    events: readonly (ProgressEvent | SteerReport)[],
    attempt: Attempt = this.attempt(path),
    usage?: Usage,
    session?: string,
  ): boolean {
    const report = { ...attempt, events, usage, session }
    return this.#apply(reportProgress(report, this.#context(path))).isCurrent
  }

  end(path: string, outcome: RunOutcome, attempt: Attempt = this.attempt(path)): boolean {
    const context = { ...this.#context(path), subtree: this.subtree(path) }
    return this.#apply(endRun({ ...attempt, outcome }, context)).isCurrent
  }

  lose(path: string, attempt: Attempt = this.attempt(path), isHeld = false): boolean {
    const context = { ...this.#context(path), subtree: this.subtree(path), isHeld }
    return this.#apply(loseAttempt(attempt, context)).isCurrent
  }

  stop(path: string, runId: bigint | undefined, mode: StopTurnMode = 'STOP_TURN_MODE_INTERRUPT'): void {
    this.#apply(stopTurn({ runId, mode }, this.#context(path)))
  }

  kill(path: string): void {
    this.#apply(killAgent({ ...this.#context(path), subtree: this.subtree(path) }))
  }

  setBudget(path: string, maxCostMicros: bigint, spentMicros = 0n) {
    const context = { ...this.#context(path), subtree: this.subtree(path), spentMicros }
    return this.#apply(setBudget({ maxCostMicros }, context))
  }

  createTasks(path: string, tasks: readonly Task[]) {
    return this.#apply(createTasks(tasks, { ...this.#context(path), quota: this.quota }))
  }

  updateTasks(path: string, updates: readonly TaskUpdate[]) {
    return this.#apply(updateTasks(updates, { ...this.#context(path), quota: this.quota }))
  }

  subtree(path: string): AgentState[] {
    const top = identityOf(path)
    return [...this.agents.values()].filter(({ identity }) => isDescendant(identity, top))
  }

  live(): AgentState[] {
    return [...this.agents.values()].filter(isLive)
  }

  #context(path: string): { agent: AgentState | undefined; parent: AgentState | undefined; now: number } {
    return { agent: this.find(path), parent: this.#parent(path), now: this.now }
  }

  #parent(path: string): AgentState | undefined {
    const parent = parentOf(path)
    return parent === undefined ? undefined : this.find(parent)
  }

  #liveChildren(parent: string | undefined): number {
    return this.live().filter(({ identity }) => parentOf(identity.path.join('/')) === parent).length
  }

  #apply<Answer>({ answer, changes }: Decision<Answer>): Answer {
    for (const { queuedBytesDelta } of changes) this.queuedBytes += queuedBytesDelta
    const commits = changes.map(({ agent, events }) => {
      const path = agent.identity.path.join('/')
      return { path, before: this.find(path), after: agent, events }
    })
    for (const { path, after, events } of commits) {
      this.agents.set(path, after)
      this.timelines.set(path, [...(this.timelines.get(path) ?? []), ...events])
    }
    this.rows.write(changes)
    this.#observe(this, commits)
    return answer
  }
}

export function parentOf(path: string): string | undefined {
  const end = path.lastIndexOf('/')
  return end === -1 ? undefined : path.slice(0, end)
}
