import type { Report } from '../crash/report.ts'
import { STRANGE } from './reviewers.ts'

/** None of these texts contains what only strangers write. */
export function checkStrangers(report: Report, what: string, texts: readonly string[]): void {
  const reached = texts.filter((text) => text.includes(STRANGE))
  report.check(
    'wrong',
    what,
    texts.length,
    reached.map((text) => text.slice(0, 200)),
  )
}
