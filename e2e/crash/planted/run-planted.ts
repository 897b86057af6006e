import { rmSync } from 'node:fs'
import { crashTest, type CrashTestResult } from '../crash-test.ts'
import type { CommandLine } from '../options.ts'
import type { Bug } from './bug.ts'
import { BUGS } from './bugs.ts'
import { chooseBugs } from './choose-bugs.ts'
import { plant, whyUnapplied } from './plant.ts'

const CATCH_WITHIN_S = 120

/** Short rounds with few agents: even with the wait for stuck agents, a second round fits into the time. */
const SMALL = {
  agents: 24,
  clients: 16,
  treeSize: 30,
  roundSeconds: 12,
  restSeconds: 30,
  faultEveryMs: 1_200,
  kills: 0,
}

export interface PlantedSettings extends CommandLine {
  readonly root: string
  readonly print: (line: string) => void
}

export interface PlantedResult {
  /** Whether the copy without a bug passed: otherwise, catching bugs means nothing. */
  readonly isQuietWithoutBug: boolean
  readonly planted: number
  readonly caught: number
  readonly missed: readonly string[]
  readonly unapplied: readonly string[]
  readonly seconds: number
}

/** Plants one bug after the other into a copy of the source and runs the crash test on it until it notices. */
export async function runPlanted(settings: PlantedSettings): Promise<PlantedResult> {
  const { root, names, print } = settings
  const startedAt = performance.now()
  const unapplied: string[] = []
  for (const bug of BUGS) {
    const why = whyUnapplied(root, bug)
    if (why === undefined) continue
    unapplied.push(bug.name)
    print(`FAIL  ${bug.name} can no longer be planted: ${why}`)
  }
  const chosen = chooseBugs(BUGS, names)
  const missed: string[] = []
  const isQuiet = await isQuietWithoutBug(settings)
  for (const bug of chosen.filter(({ name }) => !unapplied.includes(name))) {
    if (!(await isCaught(bug, settings))) missed.push(bug.name)
  }
  const planted = chosen.length
  const caught = planted - missed.length - chosen.filter(({ name }) => unapplied.includes(name)).length
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  return { planted, caught, missed, unapplied, isQuietWithoutBug: isQuiet, seconds }
}

async function isQuietWithoutBug(settings: PlantedSettings): Promise<boolean> {
  const { result } = await testWith({ name: 'nothing', edits: [] }, settings, SMALL.roundSeconds)
  const { hasFailed } = result.report
  settings.print(`${hasFailed ? 'FAIL' : 'ok  '}  nothing planted: ${describe(result)}`)
  return !hasFailed
}

async function isCaught(bug: Bug, settings: PlantedSettings): Promise<boolean> {
  const { result, seconds } = await testWith(bug, settings, CATCH_WITHIN_S)
  const isInTime = result.report.hasFailed && seconds <= CATCH_WITHIN_S
  settings.print(`${isInTime ? 'ok  ' : 'FAIL'}  ${bug.name}: ${describe(result)} after ${seconds} s`)
  return isInTime
}

async function testWith(
  bug: Pick<Bug, 'name' | 'edits'>,
  settings: PlantedSettings,
  seconds: number,
): Promise<{ result: CrashTestResult; seconds: number }> {
  const root = plant(settings.root, bug)
  const startedAt = performance.now()
  const quietly = { ...SMALL, endsAtFirstFault: true, keepsLogs: false, print: () => {} }
  try {
    const result = await crashTest({ ...settings, root, seconds, ...quietly })
    return { result, seconds: Math.round((performance.now() - startedAt) / 1000) }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function describe({ report, rounds }: CrashTestResult): string {
  if (!report.hasFailed) return `nothing noticed in ${rounds} rounds`
  return `"${report.broken.join('", "')}" in round ${rounds} (${report.firstProblem})`
}
