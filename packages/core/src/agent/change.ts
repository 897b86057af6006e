import type { AgentEvent, RecordedEvent } from './events.ts'
import { evolve } from './evolve.ts'
import { queuedBytesOf } from './quota.ts'
import { isLive, type AgentState } from './state.ts'

/** Collects what a command does to one agent. Each event takes effect immediately, so the next rule sees it. */
export class AgentChange {
  readonly #before: AgentState | undefined
  readonly #at: number
  #state: AgentState | undefined
  readonly events: RecordedEvent[] = []

  constructor(agent: AgentState | undefined, at: number) {
    this.#before = agent
    this.#state = agent
    this.#at = at
  }

  get at(): number {
    return this.#at
  }

  get agent(): AgentState {
    if (!this.#state) throw new Error('An agent exists once it was spawned')
    return this.#state
  }

  /** The agent before the change; undefined for a new one. */
  get before(): AgentState | undefined {
    return this.#before
  }

  /** Change in the number of live agents: 1, 0 or -1. */
  get liveDelta(): number {
    return Number(isLive(this.#state)) - Number(isLive(this.#before))
  }

  /** Change in the size of pending messages, in bytes. */
  get queuedBytesDelta(): number {
    return queuedBytesOf(this.#state) - queuedBytesOf(this.#before)
  }

  emit(event: AgentEvent): this {
    const recorded = { sequence: (this.#state?.sequence ?? 0n) + 1n, at: this.#at, event }
    this.#state = evolve(this.#state, recorded)
    this.events.push(recorded)
    return this
  }
}

/** A command's answer and its changes, per agent. Agents without events stay untouched. */
export interface Decision<Answer> {
  readonly answer: Answer
  readonly changes: readonly AgentChange[]
}

export function decide<Answer>(answer: Answer, ...changes: readonly AgentChange[]): Decision<Answer> {
  return { answer, changes: changes.filter(({ events }) => events.length > 0) }
}
