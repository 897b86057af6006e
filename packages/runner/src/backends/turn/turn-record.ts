import type { HideSecrets, SessionRef, TurnError, TurnEvent, TurnLimits, TurnResult } from '../backend.ts'
import { boundText } from './bound-text.ts'
import { EventQueue } from './event-queue.ts'
import { TurnClock } from './turn-clock.ts'

export type TurnEnd =
  | { readonly status: 'completed'; readonly output: unknown }
  | { readonly status: 'interrupted' | 'killed' }
  | { readonly status: 'failed'; readonly error: TurnError }

/** A turn's events and its result. The first end counts. */
export class TurnRecord {
  readonly events = new EventQueue<TurnEvent>()
  readonly result: Promise<TurnResult>
  readonly #resolve: (result: TurnResult) => void
  readonly #clock: TurnClock
  readonly #hideSecrets: HideSecrets
  #text = ''
  #session: SessionRef | undefined
  #isOver = false

  constructor(
    limits: TurnLimits,
    onLimit: (error: TurnError) => void,
    hideSecrets: HideSecrets = (text) => text,
  ) {
    this.#hideSecrets = hideSecrets
    const { promise, resolve } = Promise.withResolvers<TurnResult>()
    this.result = promise
    this.#resolve = resolve
    this.#clock = new TurnClock(limits, onLimit)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** The agent's newest message. */
  get text(): string {
    return this.#text
  }

  emit(told: TurnEvent): void {
    if (this.#isOver) return
    const event = presentEvent(told, this.#hideSecrets)
    if (event.type === 'text') this.#text = event.text
    if (event.type === 'started') this.#session = event.session
    this.#clock.touch()
    this.events.push(event)
  }

  /** For signs of life that are not events: keeps the turn from being given up. */
  touch(): void {
    if (!this.#isOver) this.#clock.touch()
  }

  end(end: TurnEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#clock.stop()
    this.#resolve({ text: this.#text, session: this.#session, ...this.#presentEnd(end) })
    this.events.end()
  }

  #presentEnd(end: TurnEnd): TurnEnd {
    if (end.status !== 'failed') return end
    return { ...end, error: { ...end.error, message: this.#hideSecrets(end.error.message) } }
  }
}

/** Secrets are removed first: half of a truncated one would not be recognised. */
function presentEvent(event: TurnEvent, hide: HideSecrets): TurnEvent {
  switch (event.type) {
    case 'text':
    case 'thinking':
      return { ...event, text: hide(event.text) }
    case 'tool-started':
      return { ...event, input: boundText(hide(event.input)) }
    case 'tool-ended':
      return { ...event, input: boundText(hide(event.input)), output: boundText(hide(event.output)) }
    case 'retrying':
    case 'warning':
      return { ...event, message: hide(event.message) }
    case 'started':
      return event
  }
}
