import { setTimeout as pause } from 'node:timers/promises'
import { waitFor } from '@skein/testkit'
import { afterEach, expect, test } from 'vitest'
import { createRunnerKey, Fleet, prepareTenant } from '../follow-ups/agents-fleet.ts'
import { send } from './http.ts'
import { endProcesses, startServer } from './skein-process.ts'

const TWO_MINUTES_MS = 120_000
const shift = new URL('../shift-clock.ts', import.meta.url)

afterEach(endProcesses)

test.each([
  ['ahead of', TWO_MINUTES_MS],
  ['behind', -TWO_MINUTES_MS],
])(
  'a server whose clock is two minutes %s the database’s delivers in time, nothing early, and says so',
  async (_word, shiftMs) => {
    const { database, key } = await prepareTenant()
    const { url, process } = await startServer({
      SKEIN_DATABASE_URL: database.serverUrl,
      SKEIN_LOG_LEVEL: 'info',
      NODE_OPTIONS: `--import=${shift.href}`,
      SHIFT_CLOCK_MS: String(shiftMs),
    })
    const runnerKey = await createRunnerKey(url, key, 'robot')
    const fleet = new Fleet(url, key)
    const runner = (operation: string, body: object) =>
      send(`${url}/v1/runner/${operation}`, { method: 'POST', key: runnerKey, body })
    expect(await fleet.command('spawn', 'late', { description: 'Work.' })).toMatchObject({ status: 200 })
    const { body } = await runner('poll', { capacity: 1, waitMs: 5_000 })
    const [run] = body['runs'] as { lease: string }[]
    await runner('complete', { lease: run?.lease, outcome: { reason: 'rested' } })

    const startedAt = Date.now()
    const defer = (followUpId: string, ms: number) =>
      fleet.command('queue', 'late', {
        followUpId,
        description: 'Later.',
        deliverAt: new Date(startedAt + ms).toISOString(),
      })
    expect(await defer('soon', 3_000)).toMatchObject({ status: 200 })
    expect(await defer('later', 90_000)).toMatchObject({ status: 200 })

    await waitFor(async () => (await fleet.phase('late')) === 'PHASE_PENDING', {
      what: 'the first message',
      timeoutMs: 20_000,
      intervalMs: 50,
    })
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(3_000)
    await pause(2_000)
    const due = (await fleet.timeline('late')).filter(({ type }) => type === 'follow-up.due')
    expect(due).toMatchObject([{ followUpId: 'soon' }])

    const warned = process.logLines.find(({ msg }) => String(msg).includes('clock differs'))
    expect(Math.abs(Number(warned?.['skewMs']) - shiftMs)).toBeLessThan(5_000)
    const ready = await send(`${url}/readyz`)
    expect(Math.abs(Number(ready.body['clockSkewMs']) - shiftMs)).toBeLessThan(5_000)
  },
)
