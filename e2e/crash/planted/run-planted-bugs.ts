import { rmSync } from 'node:fs'
import type { Report } from '../report.ts'
import type { Bug } from './bug.ts'
import { chooseBugs } from './choose-bugs.ts'
import { plant, whyUnapplied } from './plant.ts'

/** Plants one bug after the other into a copy of the source. Each must be noticed, and nothing without one. */
export async function runPlantedBugs(
  root: string,
  { bugs, names }: { readonly bugs: readonly Bug[]; readonly names: readonly string[] },
  test: (copy: string, isPlanted: boolean) => Promise<Report>,
): Promise<boolean> {
  const chosen = chooseBugs(bugs, names)
  const testWith = async (bug: Pick<Bug, 'name' | 'edits'>): Promise<Report> => {
    const copy = plant(root, bug)
    try {
      return await test(copy, bug.edits.length > 0)
    } finally {
      rmSync(copy, { recursive: true, force: true })
    }
  }
  const quiet = await testWith({ name: 'nothing', edits: [] })
  console.log(`${quiet.hasFailed ? 'FAIL' : 'ok  '}  nothing planted: ${describe(quiet)}`)
  const missed: string[] = []
  for (const bug of chosen) {
    const why = whyUnapplied(root, bug)
    const report = why === undefined ? await testWith(bug) : undefined
    const isCaught = report?.hasFailed === true
    if (!isCaught) missed.push(bug.name)
    console.log(`${isCaught ? 'ok  ' : 'FAIL'}  ${bug.name}: ${report ? describe(report) : why}`)
  }
  const isQuietWithoutBug = !quiet.hasFailed
  const planted = chosen.length
  console.log(JSON.stringify({ isQuietWithoutBug, planted, caught: planted - missed.length, missed }))
  return isQuietWithoutBug && missed.length === 0
}

function describe(report: Report): string {
  return report.hasFailed ? `"${report.broken.join('", "')}" (${report.firstProblem})` : 'nothing noticed'
}
