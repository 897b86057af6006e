/**
 * `npm run verify`: everything that must pass before a change lands. All checks run, so one run shows all failures.
 */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** Each takes about one core, so two at a time take half as long. */
const CHECKS = [
  ['check:types'],
  ['check:format', 'check:lint', 'check:lock', 'check:direction', 'check:unused', 'check:generated'],
]

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

await Promise.all(
  CHECKS.map(async (steps) => {
    for (const step of steps) await runQuietly(step)
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
