/** A runner process of the crash test. It logs what it receives and is told before it continues. */
import { createHash } from 'node:crypto'
import { appendFileSync, writeFileSync } from 'node:fs'
import { ScriptedRunner, type ScriptedRunnerEvent } from '@skein/testkit/scripted-runner'

const { SKEIN_URL = '', SKEIN_API_KEY = '', CRASH_RUNNER_LOG = '' } = process.env

// The previous process may have been killed in the middle of a line.
appendFileSync(CRASH_RUNNER_LOG, '\n')

new ScriptedRunner({
  baseUrl: SKEIN_URL,
  apiKey: SKEIN_API_KEY,
  capacity: 16,
  heartbeatMs: 1_000,
  pollMs: 3_000,
  onEvent: (event) => {
    appendFileSync(CRASH_RUNNER_LOG, `${JSON.stringify({ ...shorten(event), at: Date.now() })}\n`)
  },
}).start()

// Only a runner that asks for work is worth killing.
writeFileSync(`${CRASH_RUNNER_LOG}.ready`, String(process.pid))

/** A text's digest is enough for comparing it. */
function shorten(event: ScriptedRunnerEvent): object {
  if (event.type !== 'started') return event
  const messages = event.messages.map(({ followUpId, description }) => ({
    followUpId,
    digest: createHash('sha256').update(description).digest('base64url').slice(0, 12),
  }))
  return { ...event, messages }
}
