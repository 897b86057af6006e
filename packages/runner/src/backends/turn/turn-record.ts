import type { SessionRef, TurnError, TurnEvent, TurnLimits, TurnResult } from '../backend.ts'
import { EventQueue } from './event-queue.ts'
import { TurnClock } from './turn-clock.ts'

export type TurnEnd =
  | { readonly status: 'completed'; readonly output: unknown }
  | { readonly status: 'interrupted' | 'killed' }
  | { readonly status: 'failed'; readonly error: TurnError }

/** What a turn tells while it goes on, and how it ends: once, whoever comes first. */
export class TurnRecord {
  readonly events = new EventQueue<TurnEvent>()
  readonly result: Promise<TurnResult>
  readonly #resolve: (result: TurnResult) => void
  readonly #clock: TurnClock
  #text = ''
  #session: SessionRef | undefined
  #isOver = false

  constructor(limits: TurnLimits, onLimit: (error: TurnError) => void) {
    const { promise, resolve } = Promise.withResolvers<TurnResult>()
    this.result = promise
    this.#resolve = resolve
    this.#clock = new TurnClock(limits, onLimit)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** The newest of the agent's messages. */
  get text(): string {
    return this.#text
  }

  emit(event: TurnEvent): void {
    if (this.#isOver) return
    if (event.type === 'text') this.#text = event.text
    if (event.type === 'started') this.#session = event.session
    this.#clock.touch()
    this.events.push(event)
  }

  /** Keeps the turn from being given up, for signs of life that are no events. */
  touch(): void {
    if (!this.#isOver) this.#clock.touch()
  }

  end(end: TurnEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#clock.stop()
    this.#resolve({ text: this.#text, session: this.#session, ...end })
    this.events.end()
  }
}
