import { afterEach, expect, test } from 'vitest'
import { endProcesses } from '../process/skein-process.ts'
import { expectCatchUp } from './schedule-outage.ts'

afterEach(endProcesses)

test('after two minutes without PostgreSQL, every policy catches up on what it says', async () => {
  expect(await expectCatchUp({ outageMs: 120_000, everyMs: 2_000 })).toBeGreaterThanOrEqual(59)
})
