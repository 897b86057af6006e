import { createHash } from 'node:crypto'
import { SkeinError } from '@skein/contract'
import { SchemaProcess, type JobOutcome } from '@skein/schema-check'
import { LRUCache } from 'lru-cache'
import { FairTurns } from './fair-turns.ts'

/** Real schemas take a few milliseconds. The worst allowed one takes two seconds. */
const LIMITS = { cpuMs: 500, wallMs: 30_000, heapMib: 256 }
const MAX_VERDICTS = 2_000

interface Verdict {
  readonly problem: string | undefined
}

/**
 * Compiles output schemas in a separate process. Compiling can take long even for small schemas, and would block
 * every tenant on the event loop. Verdicts are cached, so repeating an attack costs nothing.
 */
export class SchemaChecker {
  readonly #process = new SchemaProcess(LIMITS)
  readonly #verdicts = new LRUCache<string, Verdict>({ max: MAX_VERDICTS })
  readonly #turns = new FairTurns('output schemas')

  /** Why a text is not a usable output schema; undefined if it is, or if it is empty. */
  async problemOf(tenantId: string, schema: string): Promise<string | undefined> {
    if (schema === '') return undefined
    const digest = createHash('sha256').update(schema).digest('base64')
    const known = this.#verdicts.get(digest)
    if (known) return known.problem
    const verdict = await this.#turns.take(tenantId, () => this.#check(digest, schema))
    return verdict.problem
  }

  /** Those still waiting get SERVER_STOPPING. */
  close(): Promise<void> {
    this.#turns.close()
    return this.#process.close()
  }

  async #check(digest: string, schema: string): Promise<Verdict> {
    // Someone may have asked for the same schema while this one waited.
    const known = this.#verdicts.get(digest)
    if (known) return known
    const verdict = toVerdict(await this.#process.findProblem(schema))
    this.#verdicts.set(digest, verdict)
    return verdict
  }
}

function toVerdict(outcome: JobOutcome<string | undefined>): Verdict {
  switch (outcome.kind) {
    case 'done':
      return { problem: outcome.result }
    case 'exceeded':
      return { problem: `takes too long to compile: the limit is ${LIMITS.cpuMs} ms; simplify it` }
    case 'late':
      throw new SkeinError('SERVER_OVERLOADED', {
        message: 'The server is too busy to check the output schema.',
        retryDelayMs: 1_000,
      })
  }
}
