import { Random } from '@skein/testkit'
import { checkProcesses, checkRefusals } from './checks/refusals.ts'
import { RunnerLogs } from './checks/runner-logs.ts'
import { noHavoc, totalKills, type HavocCounts } from './havoc/faults.ts'
import { wreakHavoc } from './havoc/havoc.ts'
import { install } from './installation/install.ts'
import type { CrashOptions } from './options.ts'
import { Report, type Fault } from './report.ts'
import { runRound, type RoundSummary } from './round.ts'
import { noCalls } from './workload/api.ts'

/** A shorter round leaves no time for anything to go wrong. */
const SHORTEST_ROUND_S = 10

export interface CrashTestSettings extends CrashOptions {
  /** The source tree whose servers are tested. */
  readonly root: string
  readonly endsAtFirstFault: boolean
  /** For a failed test. */
  readonly keepsLogs: boolean
  readonly print: (line: string) => void
}

export interface CrashTestResult extends Record<Fault, number> {
  readonly seconds: number
  readonly rounds: number
  readonly commands: number
  readonly kills: HavocCounts['kills'] & { readonly total: number }
  readonly freezes: HavocCounts['freezes']
  readonly cuts: HavocCounts['cuts']
  readonly report: Report
}

/** Rounds of load and faults on one installation, until there was enough of both. */
export async function crashTest(settings: CrashTestSettings): Promise<CrashTestResult> {
  const { seconds, kills, roundSeconds, print } = settings
  const report = new Report()
  const havoc = noHavoc()
  const calls = noCalls()
  const target = await install(settings.root)
  const rounds: RoundSummary[] = []
  const startedAt = performance.now()
  const elapsedS = (): number => (performance.now() - startedAt) / 1000
  try {
    const runnerLogs = new RunnerLogs(target.runnerLogs)
    while (seconds - elapsedS() > SHORTEST_ROUND_S / 2 || totalKills(havoc) < kills || rounds.length === 0) {
      const number = rounds.length + 1
      const length = Math.max(SHORTEST_ROUND_S, Math.min(roundSeconds, seconds - elapsedS()))
      const random = new Random(settings.seed, number, 3)
      const disturb = (signal: AbortSignal): Promise<void> =>
        wreakHavoc({ target, random, counts: havoc, thaws: [] }, { everyMs: settings.faultEveryMs, signal })
      const round = { number, seconds: length, options: settings, target, runnerLogs, report, calls, disturb }
      const summary = await runRound(round)
      rounds.push(summary)
      print(`round ${number}: ${JSON.stringify({ ...summary, kills: totalKills(havoc), ...report.faults })}`)
      if (settings.endsAtFirstFault && report.hasFailed) break
    }
    checkRefusals(report, calls)
    checkProcesses(report, [...target.servers, ...target.runners])
  } finally {
    const keepsLogs = report.hasFailed && settings.keepsLogs
    await target.stop(keepsLogs)
    if (keepsLogs) print(`logs are in ${target.folder}`)
  }
  return {
    seconds: Math.round(elapsedS()),
    rounds: rounds.length,
    commands: calls.answered,
    kills: { ...havoc.kills, total: totalKills(havoc) },
    freezes: havoc.freezes,
    cuts: havoc.cuts,
    ...report.faults,
    report,
  }
}
