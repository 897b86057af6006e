import { afterAll, inject } from 'vitest'
import { findLeaks, takeLeakBaseline } from './leaks.ts'
import { dropOpenTestDatabases, listTestDatabaseConnections, useTestRun } from './test-databases.ts'

useTestRun(inject('skeinTestRun'))

// Node opens these on first use. Opened during a test, they would look like its leak.
void process.stdin
void process.stdout
void process.stderr
const baseline = takeLeakBaseline()

// Runs after the test file's own hooks: vitest runs hooks in reverse order of registration.
afterAll(async () => {
  const leaks = await findLeaks(baseline, { listConnections: listTestDatabaseConnections })
  await dropOpenTestDatabases()
  if (leaks.length > 0) {
    throw new Error(`This test file left something behind:\n- ${leaks.join('\n- ')}`)
  }
})
