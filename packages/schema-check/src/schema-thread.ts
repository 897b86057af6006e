import { LimitedThread, type ThreadLimits, type ThreadOutcome } from './limited-thread.ts'

export interface SchemaJob {
  readonly schema: string
  /** As JSON. If absent, the schema itself is checked. */
  readonly output?: string
}

/**
 * Checks untrusted schemas and outputs. A few kilobytes of either can take years, and would block whatever shares
 * their thread.
 */
export class SchemaThread {
  readonly #thread: LimitedThread<SchemaJob, string | undefined>

  constructor(limits: ThreadLimits) {
    this.#thread = new LimitedThread(import.meta.url, 'schema-worker', limits)
  }

  /** Why a text is not a usable JSON Schema for outputs; undefined if it is. */
  findProblem(schema: string): Promise<ThreadOutcome<string | undefined>> {
    return this.#thread.run({ schema })
  }

  /** How a JSON text differs from a valid schema; undefined if it matches. */
  findMismatch(schema: string, output: string): Promise<ThreadOutcome<string | undefined>> {
    return this.#thread.run({ schema, output })
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}
