import type { Report } from '../report.ts'
import { acknowledgedAs } from '../workload/acknowledged.ts'
import { attemptName, messageName, type Evidence } from './evidence.ts'
import type { AgentTimeline } from './read-timelines.ts'
import type { ExecutedAttempt } from './runner-logs.ts'

/** Compares what runners received with the deliveries on the timelines and with what clients sent. */
export function checkMessages(report: Report, evidence: Evidence): void {
  const { attempts } = evidence
  const given = new Map(evidence.timelines.flatMap(messagesOfAttempts))
  const known = attempts.flatMap((attempt) => {
    const expected = given.get(attemptName(attempt.path, attempt))
    return expected
      ? [{ attempt, expected, received: attempt.messages.map(({ followUpId }) => followUpId) }]
      : []
  })
  report.check(
    'lost',
    'every attempt, retries too, received each message of its run',
    known.length,
    known.flatMap(({ attempt, expected, received }) =>
      expected
        .filter((id) => !received.includes(id))
        .map((id) => `${attemptName(attempt.path, attempt)} lacks ${id}`),
    ),
  )
  report.check(
    'doubled',
    'no attempt received a message that its run was not given, or one twice',
    known.length,
    known.flatMap(({ attempt, expected, received }) =>
      received
        .filter((id, index) => !expected.includes(id) || received.indexOf(id) !== index)
        .map((id) => `${attemptName(attempt.path, attempt)} got ${id}`),
    ),
  )
  report.check('doubled', 'no message went to two runs', attempts.length, inTwoRuns(attempts))
  report.check(
    'wrong',
    'every attempt received its messages in the order of the queue',
    known.length,
    known.flatMap(({ attempt, expected, received }) =>
      expected.filter((id) => received.includes(id)).join() ===
      received.filter((id) => expected.includes(id)).join()
        ? []
        : [`${attemptName(attempt.path, attempt)}: ${received.join()} instead of ${expected.join()}`],
    ),
  )
  checkTexts(report, evidence)
  report.check('lost', 'a run that ended by a report was executed by a runner', known.length, [
    ...unseenRuns(evidence),
  ])
}

function inTwoRuns(attempts: readonly ExecutedAttempt[]): string[] {
  const runs = new Map<string, Set<string>>()
  for (const { path, runId, messages } of attempts) {
    for (const { followUpId } of messages) {
      const name = messageName(path, followUpId)
      runs.set(name, (runs.get(name) ?? new Set()).add(runId))
    }
  }
  return [...runs].flatMap(([name, ids]) => (ids.size > 1 ? [`${name}: runs ${[...ids].join(', ')}`] : []))
}

function checkTexts(report: Report, { attempts, log }: Evidence): void {
  const sent = new Map(
    [...acknowledgedAs(log, 'spawn'), ...acknowledgedAs(log, 'queue')].map(({ path, followUpId, digest }) => [
      messageName(path, followUpId),
      digest,
    ]),
  )
  const received = attempts.flatMap(({ path, messages }) =>
    messages.map(({ followUpId, digest }) => ({ name: messageName(path, followUpId), digest })),
  )
  report.check(
    'wrong',
    'every message arrived as it was written',
    received.length,
    received.flatMap(({ name, digest }) => {
      const expected = sent.get(name)
      return expected === undefined || expected === digest ? [] : [name]
    }),
  )
}

const BY_REPORT = new Set(['finished', 'asked', 'rested', 'limit', 'failed'])

function* unseenRuns({ timelines, attempts }: Evidence): Generator<string> {
  const seen = new Set(attempts.map(({ path, runId }) => `${path} run ${runId}`))
  for (const { path, events } of timelines) {
    for (const event of events) {
      if (event.type !== 'run.ended' || !BY_REPORT.has(event.reason)) continue
      const name = `${path} run ${event.runId}`
      if (!seen.has(name)) yield `${name} ended ${event.reason}`
    }
  }
}

/** For each started attempt: what had been delivered to its run by then, in order. */
function messagesOfAttempts({ path, events }: AgentTimeline): [string, readonly string[]][] {
  const delivered = new Map<string, string[]>()
  const found: [string, readonly string[]][] = []
  for (const event of events) {
    if (event.type === 'follow-up.delivered') {
      delivered.set(event.runId, [...(delivered.get(event.runId) ?? []), event.followUpId])
    } else if (event.type === 'run.started') {
      found.push([attemptName(path, event), delivered.get(event.runId) ?? []])
    }
  }
  return found
}
