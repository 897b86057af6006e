import { createHash } from 'node:crypto'
import { SkeinError } from '@skein/contract'
import { SchemaThread, type ThreadOutcome } from '@skein/schema-check'
import { LRUCache } from 'lru-cache'
import { FairQueue } from './fair-queue.ts'

/** Real schemas take a few milliseconds. The worst allowed one takes two seconds. */
const LIMITS = { cpuMs: 500, wallMs: 30_000, heapMib: 256 }
const BOUNDS = { perTenant: 32, total: 1_000 }
const MAX_VERDICTS = 2_000
const RETRY_DELAY_MS = 1_000

interface Verdict {
  readonly problem: string | undefined
}

/**
 * Compiles output schemas in a separate thread. Compiling can take long even for small schemas, and would block
 * every tenant on the event loop. Verdicts are cached, so repeating an attack costs nothing.
 */
export class SchemaChecker {
  readonly #thread = new SchemaThread(LIMITS)
  readonly #verdicts = new LRUCache<string, Verdict>({ max: MAX_VERDICTS })
  readonly #queue = new FairQueue<() => Promise<void>>(BOUNDS)
  #isBusy = false
  #isClosed = false

  /** Why a text is not a usable output schema; undefined if it is, or if it is empty. */
  async problemOf(tenantId: string, schema: string): Promise<string | undefined> {
    if (schema === '') return undefined
    const digest = createHash('sha256').update(schema).digest('base64')
    const known = this.#verdicts.get(digest)
    if (known) return known.problem
    const verdict = await this.#inTurn(tenantId, () => this.#check(digest, schema))
    return verdict.problem
  }

  /** Those still waiting get SERVER_STOPPING. */
  close(): Promise<void> {
    this.#isClosed = true
    return this.#thread.close()
  }

  async #check(digest: string, schema: string): Promise<Verdict> {
    // Someone may have asked for the same schema while this one waited.
    const known = this.#verdicts.get(digest)
    if (known) return known
    if (this.#isClosed) throw new SkeinError('SERVER_STOPPING')
    const verdict = toVerdict(await this.#thread.findProblem(schema))
    this.#verdicts.set(digest, verdict)
    return verdict
  }

  #inTurn<Result>(tenantId: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#queue.isFullFor(tenantId)) {
      throw new SkeinError('RATE_LIMITED', {
        message: 'Too many output schemas of this tenant are waiting to be checked.',
        retryDelayMs: RETRY_DELAY_MS,
      })
    }
    if (this.#queue.isFull) throw overloaded()
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    this.#queue.add(tenantId, () => work().then(resolve, reject))
    void this.#workOff()
    return promise
  }

  async #workOff(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    for (let next = this.#queue.takeNext(); next; next = this.#queue.takeNext()) await next()
    this.#isBusy = false
  }
}

function toVerdict(outcome: ThreadOutcome<string | undefined>): Verdict {
  switch (outcome.kind) {
    case 'done':
      return { problem: outcome.result }
    case 'exceeded':
      return { problem: `takes too long to compile: the limit is ${LIMITS.cpuMs} ms; simplify it` }
    case 'late':
      throw overloaded()
  }
}

function overloaded(): SkeinError {
  return new SkeinError('SERVER_OVERLOADED', {
    message: 'The server is too busy to check the output schema.',
    retryDelayMs: RETRY_DELAY_MS,
  })
}
