/**
 * `npm run test:mutation`: makes small changes to packages/core, one at a time (Stryker), and checks whether its
 * tests notice. Prints the changes no test noticed; the last line is JSON with the score in percent. Runs at night:
 * all of core takes hours. `-- --only 'packages/core/src/runs/*.ts'` tests a part, and `-- --sample 10` files that are
 * chosen at random, with a tenth of the lines. The tools are in a separate package.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { sampleFiles } from './sample.ts'
import { scoreOf, survivorsOf, type MutationReport } from './score.ts'

const GOAL = 85

const { values } = parseArgs({
  options: { only: { type: 'string' }, sample: { type: 'string' }, seed: { type: 'string' } },
})
const folder = import.meta.dirname
const root = join(folder, '..', '..')
const out = join(folder, 'dist')
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const sample = values.sample === undefined ? undefined : await sampleFiles(root, Number(values.sample), seed)
const mutated = sample?.join(',') ?? values.only
if (sample) console.log(sample.join('\n'))

await rm(out, { recursive: true, force: true })
await run(folder, 'npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund')
await run(
  root,
  join(folder, 'node_modules', '.bin', 'stryker'),
  'run',
  join(folder, 'stryker.config.json'),
  ...(mutated === undefined ? [] : ['--mutate', mutated]),
)
const report = JSON.parse(await readFile(join(out, 'report.json'), 'utf8')) as MutationReport
for (const line of survivorsOf(report)) console.log(line)
console.log(JSON.stringify({ ...scoreOf(report), goal: GOAL, ...(sample && { files: sample.length, seed }) }))

async function run(cwd: string, program: string, ...args: string[]): Promise<void> {
  // Each mutant gets fewer random cases: there are thousands of mutants.
  const env = { SKEIN_MODEL_COMMANDS: '600', SKEIN_PROPERTY_RUNS: '200', ...process.env }
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] })
  const [status] = (await once(child, 'close')) as [number | null]
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed.`)
}
