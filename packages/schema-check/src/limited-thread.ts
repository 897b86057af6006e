import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker, type Transferable } from 'node:worker_threads'

export interface ThreadLimits {
  /** Processor time of one job: the same on a busy machine as on an idle one. */
  readonly cpuMs: number
  /** How long a job may take on a machine that has no processor time to give. */
  readonly wallMs: number
  readonly heapMib: number
}

export type ThreadOutcome<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  /** The job needs more time or memory than it may have. It would tomorrow, too. */
  | { readonly kind: 'exceeded' }
  /** The machine was too busy, or the thread was closed. Another try may succeed. */
  | { readonly kind: 'late' }

/** Does jobs in another thread, one after the other. A job beyond its limits ends the thread; the next starts another. */
export class LimitedThread<Job, Result> {
  readonly #entry: URL
  readonly #limits: ThreadLimits
  #worker: Promise<Worker> | undefined
  #last: Promise<unknown> = Promise.resolve()

  /** The entry is a module beside the one whose `import.meta.url` is given; it calls `answerJobs`. */
  constructor(besideUrl: string, entry: string, limits: ThreadLimits) {
    this.#entry = new URL(`./${entry}.${besideUrl.endsWith('.ts') ? 'ts' : 'js'}`, besideUrl)
    this.#limits = limits
  }

  run(job: Job, transfer: readonly Transferable[] = []): Promise<ThreadOutcome<Result>> {
    const outcome = this.#last.then(() => this.#run(job, transfer))
    this.#last = outcome.catch(() => undefined)
    return outcome
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await (await worker?.catch(() => undefined))?.terminate()
  }

  async #run(job: Job, transfer: readonly Transferable[]): Promise<ThreadOutcome<Result>> {
    const settled = new AbortController()
    const { signal } = settled
    try {
      this.#worker ??= startWorker(this.#entry, this.#limits)
      const worker = await this.#worker
      const before = await worker.cpuUsage()
      const outcome = Promise.race([
        this.#answer(worker, signal),
        once(worker, 'exit', { signal }).then(() => ({ kind: 'late' }) as const),
        pause(this.#limits.wallMs, { kind: 'late' } as const, { signal, ref: false }),
        this.#exceeded(worker, before, signal),
      ])
      worker.postMessage(job, transfer)
      const { kind } = await outcome
      if (kind !== 'done') await this.close()
      return await outcome
    } catch (error) {
      await this.close()
      switch (codeOf(error)) {
        case 'ERR_WORKER_OUT_OF_MEMORY':
          return { kind: 'exceeded' }
        case 'ERR_WORKER_NOT_RUNNING':
          return { kind: 'late' }
        default:
          throw error
      }
    } finally {
      settled.abort()
    }
  }

  #answer(worker: Worker, signal: AbortSignal): Promise<{ kind: 'done'; result: Result }> {
    return new Promise((resolve, reject) => {
      const take = (result: Result): void => resolve({ kind: 'done', result })
      worker.once('message', take).once('error', reject)
      signal.addEventListener('abort', () => worker.off('message', take).off('error', reject), { once: true })
    })
  }

  async #exceeded(
    worker: Worker,
    before: NodeJS.CpuUsage,
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'exceeded' }> {
    const { cpuMs } = this.#limits
    for (let leftMs = cpuMs; leftMs > 0;) {
      await pause(Math.max(leftMs, 5), undefined, { signal, ref: false })
      // A thread that has ended has no usage any more, and has told why.
      const { user, system } = await worker.cpuUsage(before).catch(() => ({ user: 0, system: 0 }))
      leftMs = cpuMs - (user + system) / 1000
    }
    return { kind: 'exceeded' }
  }
}

async function startWorker(entry: URL, { heapMib }: ThreadLimits): Promise<Worker> {
  const worker = new Worker(entry, {
    resourceLimits: { maxOldGenerationSizeMb: heapMib },
    // The thread needs neither settings nor keys.
    env: {},
  })
  worker.unref()
  // Whoever waits for an answer hears of it; between two jobs nobody need know.
  worker.on('error', () => undefined)
  await once(worker, 'message')
  return worker
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
