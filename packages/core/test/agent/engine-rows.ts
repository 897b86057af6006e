import type { Attempt, FollowUpBody, RecordedEvent } from '../../src/index.ts'

export type FollowUpState = 'DEFERRED' | 'QUEUED' | 'DELIVERED' | 'CLEARED' | 'REMOVED' | 'DROPPED'

export interface FollowUpRow {
  readonly body: FollowUpBody
  readonly state: FollowUpState
  readonly position: bigint
  /** In which life of its agent it was accepted. */
  readonly life: number
}

/** From which states each event may take a message. Whatever is not here has ended, and ends only once. */
const TRANSITIONS: Readonly<
  Record<string, { readonly from: readonly FollowUpState[]; readonly to: FollowUpState }>
> = {
  'follow-up.due': { from: ['DEFERRED'], to: 'QUEUED' },
  'follow-up.delivered': { from: ['QUEUED'], to: 'DELIVERED' },
  'follow-up.cleared': { from: ['QUEUED'], to: 'CLEARED' },
  'follow-up.removed': { from: ['DEFERRED', 'QUEUED'], to: 'REMOVED' },
  'follow-up.dropped': { from: ['DEFERRED', 'QUEUED'], to: 'DROPPED' },
}

/** The rows that an engine keeps beside the agents, made from events alone: messages, timers, runs and leases. */
export class EngineRows {
  readonly dispatch = new Map<string, Attempt>()
  readonly leases = new Map<string, Attempt>()
  readonly #lives = new Map<string, number>()
  readonly #followUps = new Map<string, Map<string, FollowUpRow>>()

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
    const waiting = [...this.#followUps].flatMap(([path, rows]) =>
      [...rows.values()]
        .filter(({ state }) => state === 'DEFERRED')
        .map(({ body }) => ({ path, followUpId: body.followUpId, dueAt: body.deliverAt ?? 0 })),
    )
    return waiting.sort((left, right) => left.dueAt - right.dueAt)
  }

  project(path: string, { event, sequence }: RecordedEvent): void {
    switch (event.type) {
      case 'agent.spawned':
        this.#lives.set(path, (this.#lives.get(path) ?? 0) + 1)
        return
      case 'follow-up.queued':
        return this.#accept(path, event.followUp, 'QUEUED', sequence)
      case 'follow-up.deferred':
        return this.#accept(path, event.followUp, 'DEFERRED', sequence)
      case 'follow-up.due':
      case 'follow-up.delivered':
      case 'follow-up.cleared':
      case 'follow-up.removed':
      case 'follow-up.dropped':
        return this.#move(path, event.followUpId, event.type)
      case 'run.queued':
        this.leases.delete(path)
        this.dispatch.set(path, { runId: event.runId, attempt: event.attempt })
        return
      case 'run.started':
        this.dispatch.delete(path)
        this.leases.set(path, { runId: event.runId, attempt: event.attempt })
        return
      case 'run.ended':
        this.dispatch.delete(path)
        this.leases.delete(path)
        return
      default:
    }
  }

  #accept(path: string, body: FollowUpBody, state: FollowUpState, position: bigint): void {
    if (this.isTaken(path, body.followUpId)) throw new Error(`${body.followUpId} was accepted twice`)
    const life = this.#lives.get(path) ?? 0
    this.#rowsOf(path).set(body.followUpId, { body, state, position, life })
  }

  #move(path: string, followUpId: string, type: string): void {
    const row = this.#rowsOf(path).get(followUpId)
    const transition = TRANSITIONS[type]
    if (!row || !transition?.from.includes(row.state)) {
      throw new Error(`${type} happened to ${followUpId}, which is ${row?.state ?? 'unknown'}`)
    }
    this.#rowsOf(path).set(followUpId, { ...row, state: transition.to })
  }

  #rowsOf(path: string): Map<string, FollowUpRow> {
    const rows = this.#followUps.get(path) ?? new Map<string, FollowUpRow>()
    this.#followUps.set(path, rows)
    return rows
  }
}
