import type { Report } from '../report.ts'
import { acknowledgedAs } from '../workload/acknowledged.ts'
import { isPreempted } from '../workload/paths.ts'
import { eventsAt, messageName, uncertainAt, type Evidence } from './evidence.ts'
import type { AgentTimeline } from './read-timelines.ts'

/** Compares what the clients were told with what the timelines say, in both directions. */
export function checkCommands(report: Report, evidence: Evidence): void {
  const { timelines, log } = evidence
  checkAccepted(report, evidence)
  const spawns = acknowledgedAs(log, 'spawn')
  const lives = timelines.map(({ path, events }) => ({
    path,
    begun: events.filter(({ type }) => type === 'agent.spawned').length,
    told: spawns.filter((entry) => entry.path === path).length,
  }))
  const missing = spawns.filter(({ path }) => timelines.every((timeline) => timeline.path !== path))
  report.check('lost', 'every acknowledged spawn began a life', spawns.length, [
    ...missing.map(({ path }) => `${path} is not there`),
    ...lives.flatMap(({ path, begun, told }) =>
      begun < told ? [`${path}: ${told} acknowledged, ${begun} lives`] : [],
    ),
  ])
  report.check(
    'doubled',
    'no life began that nobody was told of',
    spawns.length,
    lives.flatMap(({ path, begun, told }) =>
      begun > told ? [`${path}: ${told} acknowledged, ${begun} lives`] : [],
    ),
  )
  const tasks = acknowledgedAs(log, 'tasks').map(({ path, taskId }) => ({
    taskId,
    times: eventsAt(evidence, path).filter(
      (event) => event.type === 'task.created' && event.task.id === taskId,
    ).length,
  }))
  report.check(
    'lost',
    'every acknowledged task is on the timeline',
    tasks.length,
    tasks.flatMap(({ taskId, times }) => (times === 0 ? [taskId] : [])),
  )
  report.check(
    'doubled',
    'no task is on the timeline twice',
    tasks.length,
    tasks.flatMap(({ taskId, times }) => (times > 1 ? [taskId] : [])),
  )
  checkDiscarded(report, evidence)
  const stops = acknowledgedAs(log, 'stop')
  report.check(
    'wrong',
    'every acknowledged stop was asked of the run that it names',
    stops.length,
    stops.flatMap(({ path, runId }) =>
      eventsAt(evidence, path).some((event) => event.type === 'run.stop-requested' && event.runId === runId)
        ? []
        : [`${path}, run ${runId}`],
    ),
  )
}

function checkAccepted(report: Report, evidence: Evidence): void {
  const { timelines, log } = evidence
  const accepted = countAccepted(timelines)
  const sent = [...acknowledgedAs(log, 'spawn'), ...acknowledgedAs(log, 'queue')].map(
    ({ path, followUpId }) => messageName(path, followUpId),
  )
  report.check(
    'lost',
    'every acknowledged message was accepted',
    sent.length,
    sent.filter((name) => !accepted.has(name)),
  )
  report.check(
    'doubled',
    'no message was accepted twice',
    accepted.size,
    [...accepted].flatMap(([name, times]) => (times > 1 ? [`${name}: ${times} times`] : [])),
  )
  const known = new Set(sent)
  report.check(
    'doubled',
    'no message was accepted that nobody was told of',
    accepted.size,
    timelines.flatMap(({ path }) => {
      const untold = [...accepted.keys()].filter((name) => name.startsWith(`${path} `) && !known.has(name))
      return untold.length > uncertainAt(evidence, path) ? untold : []
    }),
  )
}

function checkDiscarded(report: Report, evidence: Evidence): void {
  const removes = acknowledgedAs(evidence.log, 'remove')
  report.check(
    'wrong',
    'a message was removed exactly when its client was told so',
    removes.length,
    removes.flatMap(({ path, followUpId, removed }) => {
      const times = eventsAt(evidence, path).filter(
        (event) => event.type === 'follow-up.removed' && event.followUpId === followUpId,
      ).length
      return times === Number(removed) ? [] : [`${followUpId}: told ${removed}, ${times} times`]
    }),
  )
  const clears = acknowledgedAs(evidence.log, 'clear')
  report.check(
    'wrong',
    'exactly as many messages were cleared as clients were told',
    clears.length,
    evidence.timelines
      .filter(({ path }) => !isPreempted(path))
      .flatMap(({ path, events }) => {
        const times = events.filter(({ type }) => type === 'follow-up.cleared').length
        const told = clears
          .filter((entry) => entry.path === path)
          .reduce((sum, { cleared }) => sum + cleared, 0)
        return times === told ? [] : [`${path}: told ${told}, cleared ${times}`]
      }),
  )
}

/** Messages from people: what a child reports to its parent has no client. */
function countAccepted(timelines: readonly AgentTimeline[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { path, events } of timelines) {
    for (const event of events) {
      if (event.type !== 'follow-up.queued' && event.type !== 'follow-up.deferred') continue
      const { followUpId } = event.followUp
      if (followUpId.startsWith('child:')) continue
      const name = messageName(path, followUpId)
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  }
  return counts
}
