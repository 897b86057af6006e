import type { Program, Turn, TurnError, TurnRequest } from '../backend.ts'
import { TurnRecord } from './turn-record.ts'

/** Stands in for a program that cannot be started: its first turn says why. */
export class RefusedProgram implements Program {
  readonly isAlive = false
  readonly #error: TurnError

  constructor(error: TurnError) {
    this.#error = error
  }

  startTurn({ limits }: TurnRequest): Turn {
    const record = new TurnRecord(limits, () => undefined)
    record.end({ status: 'failed', error: this.#error })
    return {
      events: record.events,
      result: record.result,
      interrupt: async () => undefined,
      steer: async () => false,
    }
  }

  async close(): Promise<void> {}
}
