import { afterEach, expect, test } from 'vitest'
import { endProcesses } from '../process/skein-process.ts'
import { expectCatchUp } from './schedule-outage.ts'

afterEach(endProcesses)

test('after a short outage of PostgreSQL, every policy catches up on what it says', async () => {
  expect(await expectCatchUp({ outageMs: 13_000, everyMs: 1_000 })).toBeGreaterThanOrEqual(12)
})
