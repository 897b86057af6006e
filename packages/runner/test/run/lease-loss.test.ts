import type { Transport } from '@skein/client'
import { completeRun } from '@skein/contract'
import { waitFor } from '@skein/testkit'
import { afterEach, expect, test } from 'vitest'
import { LeaseKeeper } from '../../src/leases/lease-keeper.ts'
import { LeaseLoss } from '../../src/run/lease-loss.ts'
import { reportEnd } from '../../src/run/report-end.ts'
import { RunReporter } from '../../src/run/run-reporter.ts'

const lease = 'lease'
const outcome = { reason: 'rested', message: 'Done.' } as const

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A run whose heartbeat is held until the service says that its lease is not current. */
function openRun(answerEnd: (attempt: number, signal: AbortSignal) => Promise<boolean>, answerMs?: number) {
  const loses = Promise.withResolvers<void>()
  const heard = Promise.withResolvers<void>()
  let attempts = 0
  const transport: Transport = {
    call: async (operation, ...[options]) => {
      const signal = options?.signal ?? new AbortController().signal
      if (operation.id === completeRun.id) {
        attempts += 1
        return { accepted: await untilAborted(answerEnd(attempts, signal), signal) } as never
      }
      await untilAborted(loses.promise, signal)
      return { runs: [{ lease, isCurrent: false, commands: [] }] } as never
    },
  }
  const lost = new AbortController()
  const loss = new LeaseLoss(() => lost.abort(), answerMs)
  const onLost = (): void => {
    loss.hear()
    heard.resolve()
  }
  const keeper = new LeaseKeeper(transport, Date.now)
  const closed = new AbortController()
  keeper.hold(lease, { leaseMs: 60_000, onCommand: () => {}, onLost })
  const keeping = keeper.keep(closed.signal)
  closing.push(async () => {
    closed.abort()
    await keeping
  })
  const reporter = new RunReporter(transport, { lease, signal: lost.signal, onLost, onRefused: () => {} })
  return {
    lost: lost.signal,
    loss,
    /** The service says that the run is not this runner's, and the runner has heard it. */
    lose: () => {
      loses.resolve()
      return heard.promise
    },
    end: () => loss.decideBy(() => reportEnd({ transport, reporter, lease, outcome, signal: lost.signal })),
  }
}

function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = new Promise<never>((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }),
  )
  return Promise.race([promise, aborted])
}

test('a run that has ended is not lost if the answer to its end gets lost, and a heartbeat overtakes the next', async () => {
  const run = openRun(async (attempt) => {
    if (attempt > 1) return true
    await run.lose()
    throw new Error('connection reset')
  })
  expect(await run.end()).toEqual({ isAccepted: true })
  expect(run.lost.aborted).toBe(false)
})

test('a heartbeat that comes after the answer changes nothing', async () => {
  const run = openRun(async () => true)
  await run.end()
  await run.lose()
  expect(run.lost.aborted).toBe(false)
})

test('a run that another runner has is lost immediately while it works', async () => {
  const run = openRun(async () => false)
  await run.lose()
  expect(run.lost.aborted).toBe(true)
  expect(await run.end()).toEqual({ isAccepted: false })
})

test('a run that another runner has is lost as soon as its end is answered', async () => {
  const run = openRun(async () => {
    await run.lose()
    return false
  })
  expect(await run.end()).toEqual({ isAccepted: false })
})

test('a service that does not answer keeps a lost run only for a while', async () => {
  const run = openRun(() => new Promise(() => {}), 50)
  const ending = run.end()
  await run.lose()
  expect(run.lost.aborted).toBe(false)
  expect(await ending).toEqual({ isAccepted: false })
  await waitFor(() => run.lost.aborted, { what: 'the loss' })
})
