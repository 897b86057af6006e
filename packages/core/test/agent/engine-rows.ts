import { projectBeside, type FollowUpState, type RowsBeside } from '@skein/store'
import type { AgentChange, Attempt, FollowUpBody } from '../../src/index.ts'

interface FollowUpRow {
  readonly body: FollowUpBody
  readonly state: FollowUpState
  readonly position: bigint
  /** In which life of its agent it was accepted. */
  readonly life: number
}

type Row<Part extends 'newFollowUps' | 'followUps'> = NonNullable<RowsBeside[Part]>[number]

/** From which states a message may come to another. Whatever is not here has ended, and ends only once. */
const FROM: Readonly<Record<Row<'followUps'>['state'], readonly FollowUpState[]>> = {
  QUEUED: ['DEFERRED'],
  DELIVERED: ['QUEUED'],
  CLEARED: ['QUEUED'],
  REMOVED: ['DEFERRED', 'QUEUED'],
  DROPPED: ['DEFERRED', 'QUEUED'],
}

/** The rows that the store keeps beside the agents, as its own projection makes them, held in memory. */
export class EngineRows {
  readonly dispatch = new Map<string, Attempt>()
  readonly leases = new Map<string, Attempt>()
  readonly #paths = new Map<string, string>()
  readonly #lives = new Map<string, number>()
  readonly #followUps = new Map<string, Map<string, FollowUpRow>>()
  readonly #timers = new Map<string, { path: string; followUpId: string; dueAt: number }>()

  followUps(path: string): ReadonlyMap<string, FollowUpRow> {
    return this.#rowsOf(path)
  }

  /** Whether the id is taken in the agent's current life. */
  isTaken(path: string, followUpId: string): boolean {
    const row = this.#rowsOf(path).get(followUpId)
    return row !== undefined && row.life === this.#lives.get(path) && row.state !== 'REMOVED'
  }

  /** Messages that wait for their time, the next one first. */
  timers(): { path: string; followUpId: string; dueAt: number }[] {
    return [...this.#timers.values()].sort((left, right) => left.dueAt - right.dueAt)
  }

  /** As the database writes them: in the order of its tables, not of the events. */
  write(changes: readonly AgentChange[]): void {
    for (const { agent, events } of changes) {
      const path = agent.identity.path.join('/')
      this.#paths.set(agent.id, path)
      for (const { event } of events) {
        if (event.type === 'agent.spawned') this.#lives.set(path, (this.#lives.get(path) ?? 0) + 1)
        // A runner's claim becomes its lease without a row of the command.
        if (event.type === 'run.started') this.#start(path, event)
      }
    }
    const rows = projectBeside(changes)
    for (const row of rows.newFollowUps ?? []) this.#accept(row)
    for (const row of rows.followUps ?? []) this.#move(row)
    for (const { agentId, runId, attempt } of rows.queuedRuns ?? []) {
      this.leases.delete(this.#pathOf(agentId))
      this.dispatch.set(this.#pathOf(agentId), { runId: BigInt(runId), attempt })
    }
    for (const agentId of rows.endedRuns ?? []) {
      this.dispatch.delete(this.#pathOf(agentId))
      this.leases.delete(this.#pathOf(agentId))
    }
    for (const { agentId, followUpId, dueAt } of rows.newTimers ?? []) {
      const timer = { path: this.#pathOf(agentId), followUpId, dueAt: Date.parse(dueAt) }
      this.#timers.set(`${agentId} ${followUpId}`, timer)
    }
    for (const { agentId, followUpId } of rows.endedTimers ?? []) {
      this.#timers.delete(`${agentId} ${followUpId}`)
    }
  }

  #start(path: string, { runId, attempt }: Attempt): void {
    this.dispatch.delete(path)
    this.leases.set(path, { runId, attempt })
  }

  #accept({ agentId, followUpId, state, body, position }: Row<'newFollowUps'>): void {
    const path = this.#pathOf(agentId)
    if (this.isTaken(path, followUpId)) throw new Error(`${followUpId} was accepted twice`)
    const life = this.#lives.get(path) ?? 0
    this.#rowsOf(path).set(followUpId, { body, state, position: BigInt(position), life })
  }

  #move({ agentId, followUpId, state, position }: Row<'followUps'>): void {
    const rows = this.#rowsOf(this.#pathOf(agentId))
    const row = rows.get(followUpId)
    if (!row || !FROM[state].includes(row.state)) {
      throw new Error(`${followUpId}, which is ${row?.state ?? 'unknown'}, became ${state}`)
    }
    rows.set(followUpId, { ...row, state, ...(position !== undefined && { position: BigInt(position) }) })
  }

  #pathOf(agentId: string): string {
    const path = this.#paths.get(agentId)
    if (path === undefined) throw new Error(`Nobody knows ${agentId}`)
    return path
  }

  #rowsOf(path: string): Map<string, FollowUpRow> {
    const rows = this.#followUps.get(path) ?? new Map<string, FollowUpRow>()
    this.#followUps.set(path, rows)
    return rows
  }
}
