import { LimitedThread, type ThreadLimits, type ThreadOutcome } from './limited-thread.ts'

export interface SchemaJob {
  readonly schema: string
  /** As JSON; without one the schema itself is checked. */
  readonly output?: string
}

/**
 * Checks schemas and outputs that strangers wrote. A few kilobytes of either can take years, and whatever shares a
 * thread with them would wait.
 */
export class SchemaThread {
  readonly #thread: LimitedThread<SchemaJob, string | undefined>

  constructor(limits: ThreadLimits) {
    this.#thread = new LimitedThread(import.meta.url, 'schema-worker', limits)
  }

  /** Why a text is no JSON Schema that we can check output against; undefined when it is one. */
  findProblem(schema: string): Promise<ThreadOutcome<string | undefined>> {
    return this.#thread.run({ schema })
  }

  /** In what a JSON text does not match a schema without problems; undefined when it does. */
  findMismatch(schema: string, output: string): Promise<ThreadOutcome<string | undefined>> {
    return this.#thread.run({ schema, output })
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}
