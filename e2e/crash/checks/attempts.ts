import type { TimelineEvent } from '@skein/contract'
import type { Report } from '../report.ts'
import { attemptName, type EventOf, type Evidence } from './evidence.ts'
import type { AgentTimeline } from './read-timelines.ts'

/** Compares what runners executed and reported with the timelines. */
export function checkAttempts(report: Report, { attempts, timelines }: Evidence): void {
  const names = attempts.map((attempt) => attemptName(attempt.path, attempt))
  report.check(
    'doubled',
    'no attempt was executed by two runners',
    names.length,
    names.filter((name, index) => names.indexOf(name) !== index),
  )
  const started = new Set(timelines.flatMap(attemptsStarted))
  report.check(
    'lost',
    'every attempt that a runner executed is on the timeline',
    names.length,
    names.filter((name) => !started.has(name)),
  )
  const ends = new Map(timelines.flatMap(attemptsEnded))
  const ended = attempts.filter(({ end }) => end !== undefined)
  report.check(
    'wrong',
    'a report of an end was accepted only from the attempt that ended by it',
    ended.length,
    ended.flatMap((attempt) => {
      const name = attemptName(attempt.path, attempt)
      const end = ends.get(name)
      return attempt.end?.accepted !== true || isEndOf(end, attempt.end.reason)
        ? []
        : [`${name} said ${attempt.end.reason} and was believed, but its end is ${describe(end)}`]
    }),
  )
  report.check(
    'lost',
    'an attempt ended by a report only if that report was accepted',
    ended.length,
    ended.flatMap((attempt) => {
      const name = attemptName(attempt.path, attempt)
      const end = ends.get(name)
      const isReported = end?.type === 'run.attempt-failed' || end?.type === 'run.paused'
      return attempt.end?.accepted === false && isReported ? [`${name}: ${describe(end)}`] : []
    }),
  )
}

type End = EventOf<'run.ended' | 'run.attempt-lost' | 'run.attempt-failed' | 'run.paused'>

const STOPPED = new Set(['interrupted', 'killed'])

/** An attempt that was asked to stop counts as stopped, whatever it reports. */
function isEndOf(end: End | undefined, reason: string): boolean {
  if (end?.type === 'run.paused') return reason === 'paused'
  if (end?.type === 'run.attempt-failed') return reason === 'failed'
  if (end?.type !== 'run.ended') return false
  return end.reason === reason || (STOPPED.has(end.reason) && (reason === 'failed' || reason === 'paused'))
}

function describe(end: End | undefined): string {
  if (end === undefined) return 'none'
  return end.type === 'run.ended' ? `run.ended (${end.reason})` : end.type
}

function attemptsStarted({ path, events }: AgentTimeline): string[] {
  return events.flatMap((event) => (event.type === 'run.started' ? [attemptName(path, event)] : []))
}

function isEnd(event: TimelineEvent): event is End {
  return ['run.ended', 'run.attempt-lost', 'run.attempt-failed', 'run.paused'].includes(event.type)
}

function attemptsEnded({ path, events }: AgentTimeline): [string, End][] {
  let open: string | undefined
  return events.flatMap((event): [string, End][] => {
    if (event.type === 'run.started') open = attemptName(path, event)
    if (!isEnd(event) || open === undefined) return []
    const ended: [string, End] = [open, event]
    open = undefined
    return [ended]
  })
}
