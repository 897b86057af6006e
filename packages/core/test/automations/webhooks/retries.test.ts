import { expect, test } from 'vitest'
import { decideAnswer } from '../../../src/automations/webhooks/lane-outcome.ts'
import {
  afterDelivery,
  afterFailure,
  isOpen,
  nextProbe,
  type Circuit,
} from '../../../src/automations/webhooks/retries.ts'

const SECOND = 1000
const START = Date.UTC(2026, 10, 17)

function failing(times: number, circuit: Circuit = afterDelivery(), now = START): Circuit {
  return times === 0 ? circuit : failing(times - 1, afterFailure(circuit, now), now)
}

test('requests that fail together delay the first test of a receiver no longer than one', () => {
  for (const circuit of [failing(5), failing(8), failing(200)]) {
    expect(isOpen(circuit)).toBe(true)
    expect(nextProbe(circuit, START, 0)).toBe(START + 5 * SECOND)
    expect(nextProbe(circuit, START, 1)).toBe(START + 5.5 * SECOND)
  }
})

test('a receiver is tested less and less often while it fails, at last every five minutes', () => {
  let circuit = failing(8)
  let now = START
  const delays: number[] = []
  while (delays.length < 9) {
    const next = nextProbe(circuit, now, 0)
    delays.push((next - now) / SECOND)
    now = next
    circuit = afterFailure(circuit, now)
  }
  expect(delays).toEqual([5, 5, 10, 20, 40, 80, 160, 300, 300])
})

test('a test that fails costs the event no attempt, and one that succeeds closes the circuit', () => {
  const head = { sequence: 7n, attempts: 2, waitingSince: START }
  const at = { now: START + SECOND, random: 0 }
  const open = failing(8)
  expect(decideAnswer(head, open, { type: 'failed', error: 'no' }, at).lane).toMatchObject({
    type: 'retry',
    nextSequence: 7n,
    attempts: 2,
  })
  const { lane, circuit } = decideAnswer(head, open, { type: 'delivered' }, at)
  expect(lane).toMatchObject({ type: 'continue', nextSequence: 8n, attempts: 0 })
  expect(isOpen(circuit)).toBe(false)
})
