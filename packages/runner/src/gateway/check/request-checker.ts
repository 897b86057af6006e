import { Worker } from 'node:worker_threads'
import { Gate } from '../../daemon/gate.ts'
import type { CheckedRequest, CheckJob } from './check-request.ts'

/** Of one request, which takes a tenth of that at worst. */
const MAX_HEAP_MIB = 512
const TIMEOUT_MS = 20_000

/** Checks requests in another thread, one after the other. A request that is too much for it ends the thread, and is refused. */
export class RequestChecker {
  readonly #turns = new Gate(1)
  #worker: Worker | undefined

  /** The body is handed over, and gone here. Undefined if the signal came first. */
  async check(job: CheckJob, signal: AbortSignal): Promise<CheckedRequest | undefined> {
    const leave = await this.#turns.enter(signal)
    if (!leave) return undefined
    try {
      return await this.#ask(job)
    } catch {
      await this.close()
      return { isAllowed: false, message: 'The request is too large.' }
    } finally {
      leave()
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }

  #ask(job: CheckJob): Promise<CheckedRequest> {
    this.#worker ??= startWorker()
    const worker = this.#worker
    return new Promise((resolve, reject) => {
      const settle = (checked: CheckedRequest | undefined): void => {
        clearTimeout(timer)
        worker.off('message', take).off('exit', giveUp)
        if (checked) resolve(checked)
        else reject(new Error('The thread has not answered'))
      }
      const take = (checked: CheckedRequest): void => settle(checked)
      const giveUp = (): void => settle(undefined)
      const timer = setTimeout(giveUp, TIMEOUT_MS)
      worker.once('message', take).once('exit', giveUp)
      worker.postMessage(job, [job.body.buffer])
    })
  }
}

function startWorker(): Worker {
  const name = import.meta.url.endsWith('.ts') ? './check-worker.ts' : './check-worker.js'
  const worker = new Worker(new URL(name, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
    // The thread needs neither settings nor keys.
    env: {},
  })
  worker.unref()
  // Whoever waits for its answer hears of it; between two requests nobody need know.
  worker.on('error', () => undefined)
  return worker
}
