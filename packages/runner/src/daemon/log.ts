import type { RunnerEvent } from '../runner-event.ts'

/** Log lines for people. They contain neither secrets nor what agents said. */
export class RunnerLog {
  readonly #print: (line: string) => void
  readonly #now: () => number
  #lastUnreachable = ''

  constructor(print: (line: string) => void, now: () => number) {
    this.#print = print
    this.#now = now
  }

  observe(event: RunnerEvent): void {
    switch (event.type) {
      case 'missing':
        return this.#line(`cannot offer ${event.what}: ${event.reason}`)
      case 'fixed':
        return this.#line(`can offer ${event.what} now`)
      case 'problem':
        return this.#line(`problem${event.agent === '' ? '' : ` with ${event.agent}`}: ${event.message}`)
      case 'unreachable':
        // Once, not every second while the service is unavailable.
        if (event.message !== this.#lastUnreachable)
          this.#line(`the service does not answer: ${event.message}`)
        this.#lastUnreachable = event.message
        return
      case 'run-began':
        this.#lastUnreachable = ''
        return
      case 'run-ended':
      case 'model-called':
    }
  }

  status(facts: { active: number; capacity: number; warm: number; ended: number; costUsd: number }): void {
    const { active, capacity, warm, ended, costUsd } = facts
    this.#line(`${active}/${capacity} runs, ${warm} warm, ${ended} ended, $${costUsd.toFixed(4)} spent`)
  }

  say(text: string): void {
    this.#line(text)
  }

  #line(text: string): void {
    this.#print(`${new Date(this.#now()).toISOString()} ${text}\n`)
  }
}
