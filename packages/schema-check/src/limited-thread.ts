import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker, type Transferable } from 'node:worker_threads'

export interface ThreadLimits {
  /** CPU time of one job: the same on a busy machine as on an idle one. */
  readonly cpuMs: number
  /** Maximum duration of a job on a machine without spare CPU time. */
  readonly wallMs: number
  readonly heapMib: number
}

export type ThreadOutcome<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  /** The job exceeds its time or memory, and would do so again. */
  | { readonly kind: 'exceeded' }
  /** The machine was too busy, or the thread was closed. A retry may succeed. */
  | { readonly kind: 'late' }

/**
 * Runs jobs in another thread, one by one. A job that exceeds its limits ends the thread; the next one starts
 * another.
 */
export class LimitedThread<Job, Result> {
  readonly #entry: URL
  readonly #limits: ThreadLimits
  #worker: Promise<Worker> | undefined
  #last: Promise<unknown> = Promise.resolve()

  /** The entry is a module next to the one with the given `import.meta.url`. It calls `answerJobs`. */
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
      // A thread that has ended reports no usage. Its end is handled elsewhere.
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
  // A waiting job gets the error. Between jobs it can be ignored.
  worker.on('error', () => undefined)
  await once(worker, 'message')
  return worker
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
