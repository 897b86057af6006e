import type { Step } from '@skein/testkit'
import type { Report } from '../report.ts'
import { attemptName, type Evidence } from './evidence.ts'
import type { AgentTimeline } from './read-timelines.ts'

/** Compares mid-run reports with the timelines: each report counts once, and only in its attempt. */
export function checkReports(report: Report, { attempts, timelines }: Evidence): void {
  const recorded = timelines.flatMap(marksOf)
  report.check(
    'doubled',
    'no report counts twice: what was said and spent is recorded once in each attempt',
    recorded.length,
    recorded.filter((mark, index) => recorded.indexOf(mark) !== index),
  )
  const known = new Set(recorded)
  const accepted = attempts.flatMap((attempt) =>
    attempt.reports
      .filter(({ isCurrent }) => isCurrent)
      .flatMap(({ step }) => toMark(attemptName(attempt.path, attempt), step)),
  )
  report.check(
    'lost',
    'every report of a run in progress is on the timeline',
    accepted.length,
    accepted.filter((mark) => !known.has(mark)),
  )
}

function toMark(attempt: string, step: Step): string[] {
  if (step.do === 'say') return [`${attempt} said ${step.text}`]
  if (step.do === 'spend') return [`${attempt} spent ${step.tokens}`]
  return []
}

function marksOf({ path, events }: AgentTimeline): string[] {
  let open = ''
  return events.flatMap((event) => {
    if (event.type === 'run.started') open = attemptName(path, event)
    if (event.type === 'run.message') return [`${open} said ${event.text}`]
    if (event.type === 'run.metered') return [`${open} spent ${event.inputTokens}`]
    return []
  })
}
