import { readFileSync } from 'node:fs'
import type { Client } from 'pg'
import type { Report } from './report.ts'
import type { AgentTimeline } from './timelines.ts'

interface RunnerLine {
  readonly type: 'started' | 'ended' | 'lost'
  readonly lease: string
  readonly accepted?: boolean
  readonly pid: number
}

/** Compares what the runners wrote down with what the timelines say. */
export function checkRunners(
  report: Report,
  timelines: readonly AgentTimeline[],
  lines: readonly RunnerLine[],
  pathOf: ReadonlyMap<string, string>,
): void {
  const started = lines.filter(({ type }) => type === 'started').map(({ lease }) => lease)
  report.check(
    'no attempt was executed by two runners',
    started.length,
    started.filter((lease, index) => started.indexOf(lease) !== index),
  )
  const known = new Set(timelines.flatMap(attemptsStarted))
  report.check(
    'every attempt that a runner executed is on the timeline',
    started.length,
    started.filter((lease) => !known.has(toAttempt(lease, pathOf))),
  )
  const accepted = lines.filter(({ accepted: isAccepted }) => isAccepted === true)
  const closing = new Map(timelines.flatMap(attemptsEnded))
  report.check(
    'a report was accepted at most once, and only from the attempt that ended by it',
    accepted.length,
    accepted.flatMap(({ lease }, index) => {
      const attempt = toAttempt(lease, pathOf)
      const isFirst = accepted.findIndex((other) => other.lease === lease) === index
      const end = closing.get(attempt)
      return isFirst && (end === 'run.ended' || end === 'run.attempt-failed') ? [] : [`${attempt}: ${end}`]
    }),
  )
}

export function readRunnerLogs(files: readonly string[]): RunnerLine[] {
  return files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as RunnerLine),
  )
}

/** Leases name agents by their row's id, which the API does not show. */
export async function readAgentPaths(owner: Client): Promise<Map<string, string>> {
  const { rows } = await owner.query<{ id: string; key: string }>('select id, key from agent')
  return new Map(rows.map(({ id, key }) => [id, key.split('/').slice(3).join('/')]))
}

function toAttempt(lease: string, pathOf: ReadonlyMap<string, string>): string {
  const [, agentId = '', runId, attempt] = lease.split('.')
  return `${pathOf.get(agentId)} ${runId}.${attempt}`
}

function attemptsStarted({ path, events }: AgentTimeline): string[] {
  return events.flatMap((event) =>
    event.type === 'run.started' ? [`${path} ${event.runId}.${event.attempt}`] : [],
  )
}

function attemptsEnded({ path, events }: AgentTimeline): [string, string][] {
  let open: string | undefined
  return events.flatMap((event): [string, string][] => {
    if (event.type === 'run.started') open = `${path} ${event.runId}.${event.attempt}`
    const isEnd = ['run.ended', 'run.attempt-lost', 'run.attempt-failed'].includes(event.type)
    if (!isEnd || open === undefined) return []
    const ended: [string, string] = [open, event.type]
    open = undefined
    return [ended]
  })
}
