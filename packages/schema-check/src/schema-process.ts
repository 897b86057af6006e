import { LimitedProcess, type JobLimits, type JobOutcome } from './limited-process.ts'

export interface SchemaJob {
  readonly schema: string
  /** As JSON. If absent, the schema itself is checked. */
  readonly output?: string
}

/**
 * Checks untrusted schemas and outputs. A few kilobytes of either can take years, and would block whatever shares
 * their thread, or abort whatever shares their process.
 */
export class SchemaProcess {
  readonly #process: LimitedProcess<SchemaJob, string | undefined>

  constructor(limits: JobLimits) {
    this.#process = new LimitedProcess(import.meta.url, 'schema-jobs', limits)
  }

  /** Why a text is not a usable JSON Schema for outputs; undefined if it is. */
  findProblem(schema: string): Promise<JobOutcome<string | undefined>> {
    return this.#process.run({ schema })
  }

  /** How a JSON text differs from a valid schema; undefined if it matches. */
  findMismatch(schema: string, output: string): Promise<JobOutcome<string | undefined>> {
    return this.#process.run({ schema, output })
  }

  close(): Promise<void> {
    return this.#process.close()
  }
}
