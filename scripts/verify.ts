/**
 * `npm run verify`: everything that must pass before a change lands. All checks run, so one run shows all failures.
 */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

const CHECKS = [
  'check:types',
  'check:format',
  'check:lint',
  'check:direction',
  'check:unused',
  'check:generated',
  'check:lock',
]

const started = performance.now()
const secondsSince = (start: number): string => ((performance.now() - start) / 1000).toFixed(1)
const failed: string[] = []

function report(step: string, status: number | null, stepStarted: number): void {
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${step} (${secondsSince(stepStarted)} s)`)
  if (status !== 0) failed.push(step)
}

/** Buffers the output, so that it is not mixed with that of the tests. */
async function runQuietly(step: string): Promise<void> {
  const stepStarted = performance.now()
  const child = spawn('npm', ['run', '--silent', step], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  process.stdout.write(out + err)
  report(step, await ended, stepStarted)
}

async function runTests(): Promise<void> {
  const stepStarted = performance.now()
  const tests = spawn(process.execPath, ['scripts/run-suite.ts', 'vitest.config.ts'], { stdio: 'inherit' })
  report('test', await new Promise((resolve) => tests.once('close', resolve)), stepStarted)
}

async function runChecks(): Promise<void> {
  for (const step of CHECKS) await runQuietly(step)
}

// Tests wait for PostgreSQL a third of the time. The checks use what that leaves of the cores.
await Promise.all([runTests(), runChecks()])
if (failed.length > 0) {
  console.log(`verify failed: ${failed.join(', ')} (${secondsSince(started)} s)`)
  process.exit(1)
}
console.log(`verify passed in ${secondsSince(started)} s`)
