/**
 * `npm run drill -- <name>`: what operators do, tried on a whole installation under load: restarts, a restore, a
 * failover. The last line is JSON with the figures. Fails if something acknowledged was lost, something happened
 * twice, or took longer than it may.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Report } from '../crash/report.ts'
import type { Drill, Figures } from './drill.ts'
import { kubernetes } from './kubernetes/kubernetes.ts'
import { missingPackages } from './needs.ts'
import { restore } from './restore.ts'
import { upgrade } from './upgrade.ts'
import { failover } from './failover.ts'
import { pgbouncer } from './pgbouncer.ts'
import { restart } from './restart.ts'

const DRILLS: Readonly<Record<string, Drill>> = {
  restart,
  restore,
  pgbouncer,
  failover,
  upgrade,
  kubernetes,
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    planted: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    from: { type: 'string', default: '' },
  },
})

// Everything ends with this process, but only if it exits normally.
process.setMaxListeners(50)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))

const [wanted, ...others] = positionals
const chosen = DRILLS[wanted ?? '']
if (wanted === undefined) list()
else if (chosen === undefined || others.length > 0) refuse(`There is no drill ${positionals.join(' ')}.`)
else if (missingPackages(chosen.needs).length > 0)
  refuse(`First install what it needs: apt-get install ${missingPackages(chosen.needs).join(' ')}`)
else process.exit((await perform(wanted, chosen)) ? 0 : 1)

function list(): void {
  console.log(`npm run drill -- <name> [options]

${Object.entries(DRILLS).map(describe).join('\n')}

  --planted      make a mistake on purpose, which the drill must notice
  --seed <n>     repeat what the clients of an earlier drill sent
  --from <ref>   upgrade: the previous release (default: the newest tag, else the oldest commit with this schema)`)
}

function describe([name, { summary, needs, planted }]: [string, Drill]): string {
  const packages = needs.length === 0 ? 'nothing' : needs.map(({ debian }) => debian).join(', ')
  return `  ${name.padEnd(12)} ${summary}\n               needs: ${packages}; planted: ${planted}`
}

function refuse(why: string): void {
  console.error(why)
  process.exitCode = 2
}

/** Returns whether it ended as it should. */
async function perform(name: string, drill: Drill): Promise<boolean> {
  const report = new Report()
  // Not below /tmp of a user alone: PostgreSQL and PgBouncer run as another user.
  const folder = mkdtempSync(join('/var/tmp', `skein-drill-${name}-`))
  const startedAt = performance.now()
  const settings = {
    root,
    folder,
    report,
    isPlanted: values.planted,
    seed: Number(values.seed),
    from: values.from,
    print: (line: string): void => console.log(line),
  }
  let figures: Figures = {}
  let isComplete = true
  try {
    figures = await drill.run(settings)
  } catch (error) {
    // Not a way to notice a planted mistake: anything could have broken.
    isComplete = false
    console.error(error)
  }
  for (const line of report.lines) console.log(line)
  const isExpected = isComplete && report.hasFailed === values.planted
  if (isExpected) rmSync(folder, { recursive: true, force: true })
  else console.log(`logs are in ${folder}`)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  const planted = values.planted ? { planted: drill.planted, isCaught: isExpected } : {}
  console.log(JSON.stringify({ drill: name, ...planted, isComplete, ...report.faults, ...figures, seconds }))
  return isExpected
}
