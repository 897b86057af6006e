import type { Supervised } from '../installation/supervised.ts'
import type { Report } from '../report.ts'
import type { ApiCounts } from '../workload/api.ts'

/** Rejections by the rules. Anything else, especially an internal error, fails the test. */
const REFUSALS = new Set([
  'AGENT_ALREADY_EXISTS',
  'AGENT_NOT_FOUND',
  'AGENT_NOT_RUNNING',
  'PARENT_NOT_LIVE',
  'QUOTA_EXCEEDED',
  // A deferred message that only got through after its time.
  'REQUEST_INVALID',
  'RUN_NOT_CURRENT',
])

export function checkRefusals(report: Report, { reasons }: ApiCounts): void {
  const faults = [...reasons.keys()].filter((reason) => !REFUSALS.has(reason))
  report.check('wrong', 'every refusal was one of the rules', reasons.size, faults)
}

export function checkProcesses(report: Report, processes: readonly Supervised[]): void {
  const fallen = processes.filter(({ unexpectedEnds }) => unexpectedEnds > 0).map(({ name }) => name)
  report.check('wrong', 'no process ended that was not killed', processes.length, fallen)
}
