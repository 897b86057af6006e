import { setTimeout as pause } from 'node:timers/promises'
import type { Report } from '../report.ts'
import type { Watchers } from '../workload/watchers.ts'
import type { AgentTimeline } from './read-timelines.ts'

/** Lost wake-ups are compensated every five seconds, and a lost stream is reopened. */
const CATCH_UP_MS = 20_000

/** Every watcher got all events, and every waiter got an answer. */
export async function checkWatchers(
  report: Report,
  watchers: Watchers,
  timelines: readonly AgentTimeline[],
): Promise<void> {
  const watched = timelines.filter(({ path }) => watchers.sequences.has(path))
  const giveUpAt = performance.now() + CATCH_UP_MS
  while (performance.now() < giveUpAt && !isAllTold(watchers, timelines, watched)) await pause(100)
  report.check('lost', 'the feed of the fleet told the last phase of each agent', timelines.length, [
    ...unheard(watchers, timelines),
  ])
  report.check(
    'lost',
    'a watch of a timeline told each event once, in order, over every cut',
    watched.length,
    watched.flatMap(({ path, events }) => {
      const told = watchers.sequences.get(path) ?? []
      const at = told.findIndex((sequence, index) => sequence !== String(index + 1))
      if (at !== -1) return [`${path}: ${told[at]} after ${told[at - 1] ?? 'nothing'}`]
      return told.length === events.length ? [] : [`${path}: ${told.length} of ${events.length} events`]
    }),
  )
  report.check(
    'stuck',
    'every caller that waited for an agent was answered when it came to rest',
    watched.length,
    [...stillWaiting(watchers, watched)],
  )
  report.check('lost', 'no watch gave up', watched.length + 1, watchers.failures)
}

function isAllTold(
  watchers: Watchers,
  timelines: readonly AgentTimeline[],
  watched: readonly AgentTimeline[],
): boolean {
  return (
    unheard(watchers, timelines).length === 0 &&
    stillWaiting(watchers, watched).length === 0 &&
    watched.every(({ path, events }) => (watchers.sequences.get(path)?.length ?? 0) >= events.length)
  )
}

function unheard({ phases }: Watchers, timelines: readonly AgentTimeline[]): string[] {
  return timelines.flatMap(({ path, phase }) =>
    phases.get(path) === phase ? [] : [`${path} is ${phase}, told ${phases.get(path)}`],
  )
}

function stillWaiting({ waiting }: Watchers, watched: readonly AgentTimeline[]): string[] {
  return watched.map(({ path }) => path).filter((path) => waiting.has(path))
}
