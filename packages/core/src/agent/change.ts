import type { AgentEvent, RecordedEvent } from './events.ts'
import { evolve } from './evolve.ts'
import { queuedBytesOf } from './quota.ts'
import { isLive, type AgentState } from './state.ts'

/** Builds what a command does to one agent: each event takes effect at once, so the next rule sees it. */
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

  /** What the agent was; undefined for one that is new. */
  get before(): AgentState | undefined {
    return this.#before
  }

  /** How many more agents are alive because of this change: 1, 0 or -1. */
  get liveDelta(): number {
    return Number(isLive(this.#state)) - Number(isLive(this.#before))
  }

  /** How many more bytes of messages wait because of this change. */
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

/** What a command answers and what it does, agent by agent. Agents without events are left alone. */
export interface Decision<Answer> {
  readonly answer: Answer
  readonly changes: readonly AgentChange[]
}

export function decide<Answer>(answer: Answer, ...changes: readonly AgentChange[]): Decision<Answer> {
  return { answer, changes: changes.filter(({ events }) => events.length > 0) }
}
