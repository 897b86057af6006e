/**
 * `npm run test:crash`: clients send commands while servers, runners and PostgreSQL are randomly killed, frozen and
 * cut off. Then what clients were told, what runners received and what was recorded are compared: nothing
 * acknowledged is lost, nothing happened twice, and everything has come to rest. With `--planted` the test itself is
 * tested: it must notice each of a list of bugs.
 */
import { fileURLToPath } from 'node:url'
import { crashTest } from './crash-test.ts'
import { CRASH_USAGE, readOptions } from './options.ts'
import { runPlanted } from './planted/run-planted.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const options = readOptions(process.argv.slice(2))
const print = (line: string): void => console.log(line)

// Everything ends with this process, but only if it exits normally.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))

if (options.help) print(CRASH_USAGE)
else if (options.isPlanted) await testTest()
else await test()

async function test(): Promise<void> {
  print(`crash test: ${JSON.stringify(options)}`)
  const { report, ...result } = await crashTest({
    ...options,
    root,
    endsAtFirstFault: false,
    keepsLogs: true,
    print,
  })
  for (const line of report.lines) print(line)
  print(JSON.stringify({ seed: options.seed, ...result }))
  process.exitCode = report.hasFailed ? 1 : 0
}

async function testTest(): Promise<void> {
  const result = await runPlanted({ ...options, root, print })
  print(JSON.stringify(result))
  const isProven =
    result.isQuietWithoutBug && result.caught === result.planted && result.unapplied.length === 0
  process.exitCode = isProven ? 0 : 1
}
