import type { Transport } from '@skein/client'
import type { RunHeartbeat } from '@skein/contract'
import { waitFor } from '@skein/testkit'
import { afterEach, expect, test } from 'vitest'
import { LeaseKeeper, type LeaseListener } from '../../src/leases/lease-keeper.ts'

const stopping: AbortController[] = []
const loops: Promise<void>[] = []

afterEach(async () => {
  for (const stop of stopping) stop.abort()
  await Promise.all(loops)
})

interface Asked {
  readonly body: { readonly runs: readonly { readonly lease: string }[]; readonly waitMs: number }
  readonly signal: AbortSignal
}

/** A service that holds a heartbeat as long as it is asked to, and then renews all. */
function patientService(requests: Asked[]): Transport {
  return {
    call: (_operation: unknown, ...[options]: unknown[]) =>
      new Promise((resolve, reject) => {
        const asked = options as Asked
        requests.push(asked)
        const runs: RunHeartbeat[] = asked.body.runs.map(({ lease }) => ({
          lease,
          isCurrent: true,
          commands: [],
        }))
        const timer = setTimeout(() => resolve({ runs } as never), asked.body.waitMs)
        asked.signal.addEventListener('abort', () => {
          clearTimeout(timer)
          reject(new Error('aborted'))
        })
      }),
  } as Transport
}

function keep(transport: Transport): LeaseKeeper {
  const stop = new AbortController()
  const keeper = new LeaseKeeper(transport, Date.now)
  stopping.push(stop)
  loops.push(keeper.keep(stop.signal))
  return keeper
}

function listener(lost: string[], name: string, leaseMs = 300): LeaseListener {
  return { leaseMs, onCommand: () => {}, onLost: () => void lost.push(name) }
}

test('runs that come and go all the time do not cost the others their leases', async () => {
  const lost: string[] = []
  const requests: Asked[] = []
  const keeper = keep(patientService(requests))
  // Long enough for a machine that stands still for a second.
  const leaseMs = 2_000
  keeper.hold('steady', listener(lost, 'steady', leaseMs))
  let count = 0
  const coming = setInterval(() => {
    keeper.hold(`brief-${(count += 1)}`, listener(lost, 'brief', leaseMs))
    keeper.release(`brief-${count - 1}`)
  }, 100)
  await waitFor(() => count > 40, { what: 'four seconds of coming and going' })
  clearInterval(coming)
  expect(lost).toEqual([])
})

test('a run whose lease cannot be renewed is ended when the lease expires, not when a response arrives', async () => {
  const lost: string[] = []
  const silent = {
    call: (_operation: unknown, ...[options]: unknown[]) => hang((options as Asked).signal),
  } as Transport
  const keeper = keep(silent)
  const heldAt = performance.now()
  keeper.hold('alone', listener(lost, 'alone', 200))
  await waitFor(() => lost.length > 0, { what: 'the end of the lease' })
  expect(performance.now() - heldAt).toBeLessThan(10_000)
})

function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(new Error('aborted'))),
  )
}
