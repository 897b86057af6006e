/** `npm run verify`: everything that must hold before a change lands, in the order that fails fastest. */
import { spawnSync } from 'node:child_process'

const STEPS = [
  'check:format',
  'check:lock',
  'check:types',
  'check:lint',
  'check:direction',
  'check:unused',
  'check:generated',
  'test',
]

const started = performance.now()
for (const step of STEPS) {
  const stepStarted = performance.now()
  const { status } = spawnSync('npm', ['run', '--silent', step], { stdio: 'inherit' })
  const seconds = ((performance.now() - stepStarted) / 1000).toFixed(1)
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${step} (${seconds} s)`)
  if (status !== 0) process.exit(1)
}
console.log(`verify passed in ${((performance.now() - started) / 1000).toFixed(1)} s`)
