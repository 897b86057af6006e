/**
 * `npm run verify`: everything that must pass before a change lands. All checks run, so one run shows all failures.
 */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** The longest first, so that both cores are in use until the end. */
const CHECKS = [
  'check:types',
  'check:format',
  'check:lint',
  'check:direction',
  'check:unused',
  'check:generated',
  'check:lock',
]

/** Most take about one core. */
const AT_A_TIME = 2

const started = performance.now()
const secondsSince = (start: number): string => ((performance.now() - start) / 1000).toFixed(1)
const failed: string[] = []

function report(step: string, status: number | null, stepStarted: number): void {
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${step} (${secondsSince(stepStarted)} s)`)
  if (status !== 0) failed.push(step)
}

/** Buffers the output, so that two concurrent steps stay readable. */
async function runQuietly(step: string): Promise<void> {
  const stepStarted = performance.now()
  const child = spawn('npm', ['run', '--silent', step], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  process.stdout.write(out + err)
  report(step, await ended, stepStarted)
}

const waiting = CHECKS.values()
await Promise.all(
  Array.from({ length: AT_A_TIME }, async () => {
    for (const step of waiting) await runQuietly(step)
  }),
)
const testsStarted = performance.now()
const tests = spawn(process.execPath, ['scripts/run-suite.ts', 'vitest.config.ts'], { stdio: 'inherit' })
report('test', await new Promise((resolve) => tests.once('close', resolve)), testsStarted)
if (failed.length > 0) {
  console.log(`verify failed: ${failed.join(', ')} (${secondsSince(started)} s)`)
  process.exit(1)
}
console.log(`verify passed in ${secondsSince(started)} s`)
