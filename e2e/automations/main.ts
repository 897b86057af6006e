/**
 * `npm run test:automations`: agents emit events, schedules fire and triggers get requests while servers and PostgreSQL
 * are killed. Every event must reach every receiver, in order, and again only where its answer was lost; each firing and
 * each delivery has its effect once. With `--planted` the test itself is tested.
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
  const { report, ...result } = await automationsTest(root, options)
  for (const line of report.lines) console.log(line)
  console.log(JSON.stringify({ seed: options.seed, ...result }))
  process.exitCode = report.hasFailed ? 1 : 0
}
