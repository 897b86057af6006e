/** A runner process of the crash test. It writes down what it executes, so that nothing it did is forgotten. */
import { appendFileSync, writeFileSync } from 'node:fs'
import { ScriptedRunner } from '@skein/testkit'

const { SKEIN_URL = '', SKEIN_API_KEY = '', CRASH_RUNNER_LOG = '' } = process.env

new ScriptedRunner({
  baseUrl: SKEIN_URL,
  apiKey: SKEIN_API_KEY,
  capacity: 16,
  heartbeatMs: 1_000,
  pollMs: 3_000,
  onEvent: (event) => {
    const line = { ...event, pid: process.pid, at: Date.now() }
    appendFileSync(CRASH_RUNNER_LOG, `${JSON.stringify(line)}\n`)
  },
}).start()

// Only a runner that asks for work is worth killing.
writeFileSync(`${CRASH_RUNNER_LOG}.ready`, String(process.pid))
