import type { TimelineEvent } from '@skein/contract'
import { isPreempted, type Acknowledged } from './client.ts'
import type { Report } from './report.ts'
import type { AgentTimeline } from './timelines.ts'

type Of<Command extends Acknowledged['command']> = Extract<Acknowledged, { command: Command }>

/** Compares what the clients were told with what the timelines say, in both directions. */
export function checkCommands(
  report: Report,
  timelines: readonly AgentTimeline[],
  log: readonly Acknowledged[],
): void {
  const byPath = new Map(timelines.map((timeline) => [timeline.path, timeline]))
  const of = <Command extends Acknowledged['command']>(command: Command): Of<Command>[] =>
    log.filter((entry): entry is Of<Command> => entry.command === command)
  const eventsAt = (path: string): readonly TimelineEvent[] => byPath.get(path)?.events ?? []

  const accepted = countAccepted(timelines)
  const sent = [...of('spawn'), ...of('queue')]
  report.check(
    'every acknowledged message was accepted exactly once',
    sent.length,
    sent.flatMap(({ path, followUpId }) => {
      const times = accepted.get(`${path} ${followUpId}`) ?? 0
      return times === 1 ? [] : [`${followUpId} for ${path}: ${times} times`]
    }),
  )
  const known = new Set(sent.map(({ path, followUpId }) => `${path} ${followUpId}`))
  report.check(
    'no message was accepted that nobody was told of',
    accepted.size,
    [...accepted.keys()].filter((id) => !known.has(id)),
  )
  report.check(
    'every acknowledged spawn began one life',
    of('spawn').length,
    timelines.flatMap(({ path, events }) => {
      const lives = events.filter(({ type }) => type === 'agent.spawned').length
      const told = of('spawn').filter((entry) => entry.path === path).length
      return lives === told ? [] : [`${path}: ${told} acknowledged, ${lives} lives`]
    }),
  )
  report.check(
    'every acknowledged task is on the timeline once',
    of('tasks').length,
    of('tasks').flatMap(({ path, taskId }) => {
      const times = eventsAt(path).filter(
        (event) => event.type === 'task.created' && event.task.id === taskId,
      )
      return times.length === 1 ? [] : [`${taskId} for ${path}: ${times.length} times`]
    }),
  )
  report.check(
    'a message was removed exactly when its client was told so',
    of('remove').length,
    of('remove').flatMap(({ path, followUpId, removed }) => {
      const times = eventsAt(path).filter(
        (event) => event.type === 'follow-up.removed' && event.followUpId === followUpId,
      ).length
      return times === Number(removed) ? [] : [`${followUpId}: told ${removed}, ${times} times`]
    }),
  )
  report.check(
    'exactly as many messages were cleared as clients were told',
    of('clear').length,
    timelines
      .filter(({ path }) => !isPreempted(path))
      .flatMap(({ path, events }) => {
        const times = events.filter(({ type }) => type === 'follow-up.cleared').length
        const told = of('clear')
          .filter((entry) => entry.path === path)
          .reduce((sum, { cleared }) => sum + cleared, 0)
        return times === told ? [] : [`${path}: told ${told}, cleared ${times}`]
      }),
  )
  report.check(
    'every acknowledged stop was asked of the run that it names',
    of('stop').length,
    of('stop').flatMap(({ path, runId }) =>
      eventsAt(path).some((event) => event.type === 'run.stop-requested' && event.runId === runId)
        ? []
        : [`${path}, run ${runId}`],
    ),
  )
  report.check(
    'whoever an acknowledged kill names had ended by then',
    of('kill').length,
    of('kill').flatMap((kill) => (hadEnded(eventsAt(kill.path), kill) ? [] : [describe(kill)])),
  )
}

function countAccepted(timelines: readonly AgentTimeline[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { path, events } of timelines) {
    for (const event of events) {
      if (event.type !== 'follow-up.queued' && event.type !== 'follow-up.deferred') continue
      const id = `${path} ${event.followUp.followUpId}`
      counts.set(id, (counts.get(id) ?? 0) + 1)
    }
  }
  return counts
}

/** An event bears the time at which its command began; it may have been committed this much later. */
const SLOWEST_COMMIT_MS = 15_000

/** Whether the agent was over at some moment between the kill's being sent and its answer. */
function hadEnded(events: readonly TimelineEvent[], { sentAt, answeredAt }: Acknowledged): boolean {
  const phases = events.filter((event) => event.type === 'agent.phase-changed')
  return phases.some((event, index) => {
    const next = phases[index + 1]
    const isOver = /COMPLETED|FAILED|CANCELED/.test(event.to)
    const isInTime = Date.parse(event.time) <= answeredAt
    return isOver && isInTime && (!next || Date.parse(next.time) + SLOWEST_COMMIT_MS >= sentAt)
  })
}

function describe({ path, sentAt, answeredAt }: Acknowledged): string {
  return `${path}, sent ${new Date(sentAt).toISOString()}, answered ${new Date(answeredAt).toISOString()}`
}
