import type { Phase, TimelineEvent } from '@skein/contract'
import type { Report } from '../report.ts'
import { acknowledgedAs, type Acknowledged } from '../workload/acknowledged.ts'
import { isBelow } from '../workload/paths.ts'
import { eventsAt, type Evidence } from './evidence.ts'
import type { AgentTimeline } from './read-timelines.ts'

/** What a kill or a failure takes with it, and what parents are told. */
export function checkTrees(report: Report, evidence: Evidence): void {
  const { timelines } = evidence
  const spawns = acknowledgedAs(evidence.log, 'spawn')
  const kills = acknowledgedAs(evidence.log, 'kill')
  const doomed = kills.flatMap((kill) =>
    timelines
      .filter(({ path }) => path === kill.path || isBelow(path, kill.path))
      .filter(({ path }) => spawns.some((spawn) => spawn.path === path && spawn.answeredAt < kill.sentAt))
      .map(({ path }) => ({ path, kill })),
  )
  report.check(
    'wrong',
    'the agent that an acknowledged kill names, and its descendants, had ended by then',
    doomed.length,
    doomed.flatMap(({ path, kill }) =>
      hadEnded(eventsAt(evidence, path), kill) ? [] : [`${path}, ${describe(kill)}`],
    ),
  )
  report.check(
    'wrong',
    'no child lives on when its parent is killed or fails, and none is spawned afterwards',
    timelines.length,
    timelines.flatMap(({ path, events }) => survivors(events).map((problem) => `${path}: ${problem}`)),
  )
  const phases = new Map(timelines.map(({ path, phase }) => [path, phase]))
  report.check(
    'wrong',
    'no live agent is below a dead one at the end',
    timelines.length,
    timelines.flatMap(({ path, phase }) => {
      const dead = ancestors(path).find((above) => isDead(phases.get(above)))
      return isTerminal(phase) || dead === undefined ? [] : [`${path} lives, ${dead} is dead`]
    }),
  )
  report.check(
    'lost',
    'a parent is told of each phase of its children',
    timelines.length,
    timelines.flatMap((child) => untold(child, evidence)),
  )
}

function isTerminal(phase: string): boolean {
  return isDead(phase) || phase === 'PHASE_COMPLETED'
}

/** Excludes completed: children of a completed agent stay alive. */
function isDead(phase: string | undefined): boolean {
  return phase === 'PHASE_CANCELED' || phase === 'PHASE_FAILED'
}

function ancestors(path: string): string[] {
  const names = path.split('/')
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'))
}

/** By the parent's own timeline, where the order is certain. */
function survivors(events: readonly TimelineEvent[]): string[] {
  const live = new Set<string>()
  let isAlive = false
  return events.flatMap((event) => {
    switch (event.type) {
      case 'agent.spawned':
        isAlive = true
        return []
      case 'child.spawned': {
        const name = event.child.agent.join('/')
        live.add(name)
        return isAlive ? [] : [`${name} was spawned under it when it had ended`]
      }
      case 'child.phase-changed':
        if (isTerminal(event.phase)) live.delete(event.child.agent.join('/'))
        return []
      case 'agent.phase-changed':
        if (isTerminal(event.to)) isAlive = false
        return isDead(event.to) ? [...live].map((name) => `${name} was alive at its end`) : []
      default:
        return []
    }
  })
}

function untold({ path, events }: AgentTimeline, evidence: Evidence): string[] {
  const parent = ancestors(path).at(-1)
  if (parent === undefined) return []
  const own = events.flatMap((event): Phase[] => (event.type === 'agent.phase-changed' ? [event.to] : []))
  const told = eventsAt(evidence, parent).flatMap((event): Phase[] =>
    event.type === 'child.phase-changed' && event.child.agent.join('/') === path ? [event.phase] : [],
  )
  const at = own.findIndex((phase, index) => phase !== told[index])
  if (at === -1 && own.length === told.length) return []
  return [`${path}: its phase ${at + 1} was ${own[at]}, its parent heard ${told[at]}`]
}

/** An event has the time when its command started. The commit may be this much later. */
const SLOWEST_COMMIT_MS = 15_000

/** Whether the agent had ended at some time between sending the kill and its response. */
function hadEnded(events: readonly TimelineEvent[], { sentAt, answeredAt }: Acknowledged): boolean {
  const phases = events.filter((event) => event.type === 'agent.phase-changed')
  return phases.some((event, index) => {
    const next = phases[index + 1]
    const isInTime = Date.parse(event.time) <= answeredAt
    return isTerminal(event.to) && isInTime && (!next || Date.parse(next.time) + SLOWEST_COMMIT_MS >= sentAt)
  })
}

function describe({ path, sentAt, answeredAt }: Acknowledged): string {
  return `kill of ${path} sent ${new Date(sentAt).toISOString()}, answered ${new Date(answeredAt).toISOString()}`
}
