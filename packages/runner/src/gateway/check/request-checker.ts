import { LimitedProcess } from '@skein/schema-check'
import { Gate } from '@skein/host'
import type { CheckedRequest, CheckJob } from './check-request.ts'

/** Per request. The worst allowed one takes a tenth of it. */
const LIMITS = { cpuMs: 20_000, wallMs: 60_000, heapMib: 512 }

/** Checks requests in another process, one by one. A request that exceeds its limits is rejected. */
export class RequestChecker {
  readonly #turns = new Gate(1)
  readonly #process = new LimitedProcess<CheckJob, CheckedRequest>(import.meta.url, 'check-jobs', LIMITS)

  /** Undefined if the signal came first. */
  async check(job: CheckJob, signal: AbortSignal): Promise<CheckedRequest | undefined> {
    const leave = await this.#turns.enter(signal)
    if (!leave) return undefined
    try {
      const outcome = await this.#process.run(job)
      if (outcome.kind === 'done') return outcome.result
      return { isAllowed: false, message: 'The request is too large.' }
    } catch {
      return { isAllowed: false, message: 'The request could not be checked.' }
    } finally {
      leave()
    }
  }

  close(): Promise<void> {
    return this.#process.close()
  }
}
