import type { AgentEvent, Attempt, FollowUpBody } from '../../src/index.ts'

export type FollowUpState = 'DEFERRED' | 'QUEUED' | 'DELIVERED' | 'CLEARED' | 'REMOVED' | 'DROPPED'

export interface FollowUpRow {
  readonly body: FollowUpBody
  readonly state: FollowUpState
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
  readonly #followUps = new Map<string, Map<string, FollowUpRow>>()

  followUps(path: string): ReadonlyMap<string, FollowUpRow> {
    return this.#rowsOf(path)
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

  project(path: string, event: AgentEvent): void {
    switch (event.type) {
      case 'follow-up.queued':
      case 'follow-up.deferred':
        return this.#accept(path, event.followUp, event.type === 'follow-up.queued' ? 'QUEUED' : 'DEFERRED')
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

  #accept(path: string, body: FollowUpBody, state: FollowUpState): void {
    if (this.#rowsOf(path).has(body.followUpId)) throw new Error(`${body.followUpId} was accepted twice`)
    this.#rowsOf(path).set(body.followUpId, { body, state })
  }

  #move(path: string, followUpId: string, type: string): void {
    const row = this.#rowsOf(path).get(followUpId)
    const transition = TRANSITIONS[type]
    if (!row || !transition?.from.includes(row.state)) {
      throw new Error(`${type} happened to ${followUpId}, which is ${row?.state ?? 'unknown'}`)
    }
    this.#rowsOf(path).set(followUpId, { body: row.body, state: transition.to })
  }

  #rowsOf(path: string): Map<string, FollowUpRow> {
    const rows = this.#followUps.get(path) ?? new Map<string, FollowUpRow>()
    this.#followUps.set(path, rows)
    return rows
  }
}
