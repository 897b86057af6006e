/**
 * `npm run test:automations`: agents emit events while servers and PostgreSQL are killed. Every event must reach every
 * receiver, in order, and again only where its answer was lost. With `--planted` the test itself is tested.
 */
import { fileURLToPath } from 'node:url'
import { automationsTest } from './automations-test.ts'
import { readOptions, USAGE } from './options.ts'
import { runPlanted } from './planted/run-planted.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const options = readOptions(process.argv.slice(2))

// Everything ends with this process, but only if it exits normally.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))

if (options.help) console.log(USAGE)
else if (options.isPlanted) process.exitCode = (await runPlanted(root, options)) ? 0 : 1
else {
  const result = await automationsTest(root, options)
  console.log(JSON.stringify({ seed: options.seed, ...result }))
  process.exitCode = result.faults === 0 ? 0 : 1
}
