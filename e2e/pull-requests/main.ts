/**
 * `npm run test:pull-requests`: reviews of pull requests go to agents and answers come back, and issues start agents, while
 * webhooks come several times and servers and PostgreSQL are killed. With `--planted` the test itself is tested.
 */
import { fileURLToPath } from 'node:url'
import { runPlantedBugs } from '../crash/planted/run-planted-bugs.ts'
import { readOptions, USAGE } from './options.ts'
import { BUGS } from './planted/bugs.ts'
import { pullRequestsTest } from './pull-requests-test.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const options = readOptions(process.argv.slice(2))
/** Enough to catch each planted bug. */
const PLANTED = { pulls: 6, rounds: 2, starts: 24, seed: options.seed }

// Everything ends with this process, but only if it exits normally.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))

if (options.help) console.log(USAGE)
else if (options.isPlanted) {
  const test = async (copy: string) => (await pullRequestsTest(copy, PLANTED)).report
  process.exitCode = (await runPlantedBugs(root, { bugs: BUGS, names: options.names }, test)) ? 0 : 1
} else {
  const { report, ...result } = await pullRequestsTest(root, options)
  for (const line of report.lines) console.log(line)
  console.log(JSON.stringify({ seed: options.seed, ...result }))
  process.exitCode = report.hasFailed ? 1 : 0
}
