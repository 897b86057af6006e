import { rmSync } from 'node:fs'
import type { Bug } from '../../crash/planted/bug.ts'
import { chooseBugs } from '../../crash/planted/choose-bugs.ts'
import { plant, whyUnapplied } from '../../crash/planted/plant.ts'
import type { Report } from '../../crash/report.ts'
import { automationsTest } from '../automations-test.ts'
import type { CommandLine } from '../options.ts'
import { BUGS } from './bugs.ts'

const SECONDS = 30
const REST_SECONDS = 40
/** Without a bug everything arrives, however long a busy machine takes. */
const QUIET_REST_SECONDS = 240

/** Plants one bug after the other into a copy of the source. Each must be noticed, and nothing without one. */
export async function runPlanted(root: string, { names, seed }: CommandLine): Promise<boolean> {
  const chosen = chooseBugs(BUGS, names)
  const quiet = await testWith(root, { name: 'nothing', edits: [] }, seed, QUIET_REST_SECONDS)
  console.log(`${quiet.hasFailed ? 'FAIL' : 'ok  '}  nothing planted: ${describe(quiet)}`)
  const missed: string[] = []
  for (const bug of chosen) {
    const why = whyUnapplied(root, bug)
    const report = why === undefined ? await testWith(root, bug, seed) : undefined
    const isCaught = report?.hasFailed === true
    if (!isCaught) missed.push(bug.name)
    console.log(`${isCaught ? 'ok  ' : 'FAIL'}  ${bug.name}: ${report ? describe(report) : why}`)
  }
  const isQuietWithoutBug = !quiet.hasFailed
  const planted = chosen.length
  console.log(JSON.stringify({ isQuietWithoutBug, planted, caught: planted - missed.length, missed }))
  return isQuietWithoutBug && missed.length === 0
}

async function testWith(
  root: string,
  bug: Pick<Bug, 'name' | 'edits'>,
  seed: number,
  restSeconds = REST_SECONDS,
): Promise<Report> {
  const copy = plant(root, bug)
  try {
    const options = { seconds: SECONDS, kills: 0, restSeconds, seed }
    return (await automationsTest(copy, options)).report
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

function describe(report: Report): string {
  return report.hasFailed ? `"${report.broken.join('", "')}" (${report.firstProblem})` : 'nothing noticed'
}
