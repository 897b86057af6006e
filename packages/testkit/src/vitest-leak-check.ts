import { afterAll, inject } from 'vitest'
import { findLeaks, takeLeakBaseline } from './leaks.ts'
import { dropOpenTestDatabases, listTestDatabaseConnections, useTestRun } from './test-databases.ts'

useTestRun(inject('skeinTestRun'))

// Node opens these when they are first used; opened by a test, they would look like that test's leak.
void process.stdin
void process.stdout
void process.stderr
const baseline = takeLeakBaseline()

// Runs after the hooks of the test file itself: vitest runs the hooks registered first last.
afterAll(async () => {
  const leaks = await findLeaks(baseline, { listConnections: listTestDatabaseConnections })
  await dropOpenTestDatabases()
  if (leaks.length > 0) {
    throw new Error(`This test file left something behind:\n- ${leaks.join('\n- ')}`)
  }
})
