import type { Report } from '../report.ts'
import { acknowledgedAs } from '../workload/acknowledged.ts'
import { isPreempted } from '../workload/paths.ts'
import { checkAccepted } from './accepted.ts'
import { eventsAt, type Evidence } from './evidence.ts'

/** Compares what clients were told with the timelines, in both directions. */
export function checkCommands(report: Report, evidence: Evidence): void {
  const { timelines, log } = evidence
  checkAccepted(report, evidence)
  report.check(
    'doubled',
    'a command that was sent again with its key got its first answer',
    evidence.repeats.length,
    evidence.repeats.flatMap(({ key, isSame }) => (isSame ? [] : [key])),
  )
  report.check(
    'lost',
    'what one server has acknowledged, another server knows at once',
    evidence.ownWrites.length,
    evidence.ownWrites.flatMap(({ taskId, isKnown }) => (isKnown ? [] : [taskId])),
  )
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
