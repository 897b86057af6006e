import { setTimeout as pause } from 'node:timers/promises'
import { checkProcesses, checkRefusals } from '../crash/checks/refusals.ts'
import { runRound, type Target } from '../crash/round.ts'
import { noCalls, type ApiCounts } from '../crash/workload/api.ts'
import type { DrillSettings, Figures } from './drill.ts'
import type { DrillInstallation } from './installation.ts'

/** Enough to keep two busy cores busy. */
export const LOAD = { clients: 12, agents: 80, treeSize: 40, restSeconds: 120 }
const LONGEST_S = 1_800
const SAMPLE_MS = 20

export interface Load {
  /** What the callers saw so far. */
  readonly calls: ApiCounts
  /** Stops the load when it is aborted. */
  readonly signal: AbortSignal
}

/** Servers and runners that are processes of the drill must not end by themselves. */
export type LoadTarget = Pick<DrillInstallation, keyof Target | 'servers' | 'runners' | 'runnerLogs'>

/**
 * Puts the crash test's load on an installation while something is done to it, and compares what callers were told,
 * what runners did and what was recorded.
 */
export async function underLoad(
  { report, seed }: Pick<DrillSettings, 'report' | 'seed'>,
  target: LoadTarget,
  act: (load: Load) => Promise<void>,
  number = 1,
  load = LOAD,
): Promise<Figures> {
  const calls = noCalls()
  const gap = { longestMs: 0 }
  const { commands, events, attempts, restAfterMs } = await runRound({
    number,
    seconds: LONGEST_S,
    options: { ...load, seed },
    target,
    runnerLogs: target.runnerLogs,
    report,
    calls,
    disturb: async (signal) => {
      const watched = new AbortController()
      const watching = watchGaps(calls, gap, watched.signal)
      await act({ calls, signal })
      watched.abort()
      await watching
    },
  })
  checkRefusals(report, calls)
  checkProcesses(report, [...target.servers, ...target.runners])
  return {
    requests: calls.sent,
    acknowledged: commands,
    events,
    attempts,
    errors: calls.retries,
    failures: Object.fromEntries(calls.failures),
    longestGapMs: gap.longestMs,
    restAfterMs,
  }
}

/** The longest time in which no caller got an answer. */
async function watchGaps(calls: ApiCounts, gap: { longestMs: number }, signal: AbortSignal): Promise<void> {
  let answered = calls.answered
  let since = performance.now()
  while (!signal.aborted) {
    await pause(SAMPLE_MS)
    const now = performance.now()
    if (calls.answered !== answered) {
      answered = calls.answered
      since = now
    }
    gap.longestMs = Math.max(gap.longestMs, Math.round(now - since))
  }
}
