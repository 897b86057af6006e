import { expect, test } from 'vitest'
import {
  agentNameOf,
  followUpIdOf,
  formatFiringTime,
} from '../../../src/automations/schedules/firing-names.ts'
import {
  decideSendOverlap,
  decideSpawnOverlap,
  MAX_WAITING_FIRINGS,
} from '../../../src/automations/schedules/overlap.ts'
import { timingViolations } from '../../../src/automations/schedules/timing-violations.ts'
import { isTimeZone } from '../../../src/automations/schedules/zone-offsets.ts'

const TWO = Date.UTC(2026, 10, 17, 2)

test('a firing’s agent and message have names that follow from its time', () => {
  expect(formatFiringTime(TWO)).toBe('20261117t020000z')
  expect(agentNameOf('', 'nightly', TWO)).toBe('nightly-20261117t020000z')
  expect(agentNameOf('deps-{time}', 'nightly', TWO)).toBe('deps-20261117t020000z')
  expect(agentNameOf('deps', 'nightly', TWO)).toBe('deps')
  expect(followUpIdOf('nightly', TWO)).toBe('schedule:nightly:20261117t020000z')
})

test('the longest schedule name still makes a valid agent name', () => {
  expect(agentNameOf('', 'n'.repeat(63), TWO + 1).length).toBeLessThanOrEqual(63)
  expect(agentNameOf('', `${'n'.repeat(42)}-${'n'.repeat(20)}`, TWO + 1)).not.toContain('--')
})

test('an agent that has not ended decides by the policy', () => {
  const live = { phase: 'PHASE_RUNNING' } as const
  expect(decideSpawnOverlap('skip', live, 0)).toBe('skip')
  expect(decideSpawnOverlap('queue', live, 0)).toBe('wait')
  expect(decideSpawnOverlap('replace', live, 0)).toBe('go-after-kill')
  expect(decideSpawnOverlap('allow', live, 0)).toBe('go')
  // It waits for an answer, so it has not ended.
  expect(decideSpawnOverlap('skip', { phase: 'PHASE_WAITING' }, 0)).toBe('skip')
})

test('without a firing before, or once its agent has ended, every policy starts', () => {
  for (const policy of ['skip', 'queue', 'replace', 'allow'] as const) {
    expect(decideSpawnOverlap(policy, undefined, 0)).toBe('go')
    expect(decideSpawnOverlap(policy, { phase: 'PHASE_FAILED' }, 0)).toBe('go')
  }
})

test('queued firings start in order, and no more than a limit wait', () => {
  expect(decideSpawnOverlap('queue', undefined, 1)).toBe('wait')
  expect(decideSpawnOverlap('queue', undefined, MAX_WAITING_FIRINGS)).toBe('skip-full')
})

test('a message is skipped only if the agent is at work', () => {
  expect(decideSendOverlap('skip', { phase: 'PHASE_RUNNING' })).toBe('skip')
  expect(decideSendOverlap('skip', { phase: 'PHASE_WAITING' })).toBe('go')
  expect(decideSendOverlap('queue', { phase: 'PHASE_RUNNING' })).toBe('go')
  expect(decideSendOverlap('skip', undefined)).toBe('go')
})

test.each([
  [{ cron: '0 2 * * *' }, []],
  [{ every: '1s' }, []],
  [{}, ['cron']],
  [{ cron: '0 2 * * *', every: '60s' }, ['cron']],
  [{ cron: '0 0 30 2 *' }, ['cron']],
  [{ cron: '0 0 31 4,6,9,11 *' }, ['cron']],
  [{ every: '0.5s' }, ['every']],
  [{ every: '31622401s' }, ['every']],
  [{ every: '60s', jitter: '3601s' }, ['jitter']],
  [{ every: '60s', timeZone: 'Mars/Olympus' }, ['timeZone']],
  [{ every: '60s', timeZone: '+01:00' }, ['timeZone']],
  [{ every: '60s', startTime: '2026-11-17T00:00:00Z', endTime: '2026-11-16T00:00:00Z' }, ['endTime']],
])('%j has problems in %j', (fields, wanted) => {
  const found = [...timingViolations({ timeZone: 'UTC', jitter: '0s', ...fields })]
  expect(found.map(({ field }) => field)).toEqual(wanted)
})

test('time zones are those of the platform', () => {
  for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5']) {
    expect(isTimeZone(name)).toBe(true)
  }
  for (const name of ['', 'CEST2', '../etc', 'Europe/Berlin ', 'Local']) expect(isTimeZone(name)).toBe(false)
})
