/**
 * A runner that takes one run and keeps it, until it finds that it was asleep: then it reports its end as if nothing
 * had happened. Started by a test, which stops and resumes it.
 */
import { setTimeout as pause } from 'node:timers/promises'

const { SKEIN_URL = '', SKEIN_API_KEY = '', SLEPT_MS = '' } = process.env
const HEARTBEAT_MS = 200

const lease = await takeRun()
let lastBeatAt = Date.now()
console.log(JSON.stringify({ lease }))
for (;;) {
  // One reading of the clock: whenever it is stopped, the next one shows it.
  const now = Date.now()
  if (now - lastBeatAt >= Number(SLEPT_MS)) break
  lastBeatAt = now
  await call('heartbeat', { runs: [{ lease }] })
  await pause(HEARTBEAT_MS)
}
const late = { events: [{ type: 'run.message', text: 'late' }], reportId: 'late' }
const beat = await call('heartbeat', { runs: [{ lease, ...late }] })
const end = await call('complete', { lease, outcome: { reason: 'finished', message: 'late' } })
console.log(JSON.stringify({ beat, end }))

async function takeRun(): Promise<string> {
  for (;;) {
    const { runs } = (await call('poll', { capacity: 1, waitMs: 5_000 })) as { runs: { lease: string }[] }
    if (runs[0]) return runs[0].lease
  }
}

async function call(operation: string, body: object): Promise<unknown> {
  const response = await fetch(`${SKEIN_URL}/v1/runner/${operation}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SKEIN_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return response.json()
}
