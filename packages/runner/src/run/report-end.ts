import { setTimeout as pause } from 'node:timers/promises'
import type { SkeinApiError, Transport } from '@skein/client'
import { completeRun } from '@skein/contract'
import type { Outcome } from './outcome.ts'
import { isRefused, type LastReport, type RunReporter } from './run-reporter.ts'

const COMPLETE_RETRY_MS = 500

export interface RunEndReport {
  readonly transport: Transport
  readonly reporter: Pick<RunReporter, 'takeLast' | 'send' | 'flush'>
  readonly lease: string
  readonly outcome: Outcome
  /** The run is not ours any more. */
  readonly signal: AbortSignal
}

/**
 * Reports a run's end together with what happened just before. Retried until it succeeds: the server may be restarting.
 * If another runner has the run by now, it is not accepted. Returns the error of an outcome that the service rejects.
 */
export async function reportEnd({
  transport,
  reporter,
  lease,
  outcome,
  signal,
}: RunEndReport): Promise<{ readonly isAccepted: boolean } | SkeinApiError> {
  let last: LastReport | undefined = await reporter.takeLast()
  if (!last) await reporter.flush()
  while (!signal.aborted) {
    const { events, usage }: LastReport = last ?? {}
    const body = { lease, ...(events && { events }), outcome: { ...outcome, ...(usage && { usage }) } }
    try {
      const { accepted } = await transport.call(completeRun, { body, signal })
      return { isAccepted: accepted }
    } catch (error) {
      if (!isRefused(error)) {
        await pause(COMPLETE_RETRY_MS, undefined, { signal }).catch(() => {})
      } else if (last && (events || usage)) {
        // One of the events may be the reason. Sent alone, only events can be lost.
        await reporter.send(last)
        last = undefined
      } else return error
    }
  }
  return { isAccepted: false }
}
