import type { PostgresServer } from '@skein/testkit'
import { query } from '../automations/query.ts'
import type { Report } from '../crash/report.ts'
import type { ReviewRunner } from './review-runner.ts'
import { checkStrangers } from './check-strangers.ts'
import type { Reviewers, Round } from './reviewers.ts'

const QUIET_MS = 20_000

export interface Evidence {
  readonly rounds: readonly Round[]
  readonly reviewers: Reviewers
  readonly runner: ReviewRunner
  readonly postgres: PostgresServer
}

interface Message {
  readonly id: string
  readonly text: string
  readonly at: number
}

export async function checkReviews(report: Report, evidence: Evidence): Promise<void> {
  const { rounds, postgres } = evidence
  checkWebhooks(report, rounds)
  const states = await query<{ name: string; phase: string; problem: string }>(
    postgres,
    `select name, review ->> 'phase' as phase, review ->> 'problem' as problem from pull_request`,
  )
  report.check(
    'lost',
    'every thread of a review is answered',
    rounds.length,
    rounds
      .filter(({ isAnswered }) => !isAnswered)
      .flatMap(({ pull }) => states.filter(({ name }) => name === pull.name))
      .map(({ name, phase, problem }) => `${name}: ${phase} ${problem}`),
  )
  const messages = await query<Message>(
    postgres,
    `select follow_up_id as id, body ->> 'description' as text,
       (extract(epoch from created_at) * 1000)::float8 as at
     from follow_up where follow_up_id like 'review:%'`,
  )
  checkMessages(report, rounds, messages)
  await checkAnswers(report, evidence)
  await checkCounts(report, evidence)
  checkStrangers(report, 'no stranger reaches an agent', [
    ...evidence.runner.prompts,
    ...messages.map(({ text }) => text),
  ])
}

function checkWebhooks(report: Report, rounds: readonly Round[]): void {
  const amount = rounds.reduce((sum, { webhooks }) => sum + webhooks, 0)
  const refused = rounds.flatMap((round) => round.refused.map((status) => `${round.pull.name}: ${status}`))
  report.check('wrong', 'every copy of a webhook is accepted', amount, refused)
  report.check(
    'doubled',
    'one copy of a webhook is new, the others are copies',
    amount,
    rounds
      // The answer to the first one may be lost.
      .filter(({ accepted, webhooks }) => accepted > webhooks)
      .map(({ pull, accepted, webhooks }) => `${pull.name}: ${accepted} new of ${webhooks}`),
  )
}

function checkMessages(report: Report, rounds: readonly Round[], messages: readonly Message[]): void {
  const wrong: string[] = []
  const early: string[] = []
  for (const { pull, threads, sentAt } of rounds) {
    const found = messages.filter(({ text }) =>
      // The key of one thread may be the beginning of another's.
      threads.some((thread) => text.includes(`Thread ${thread}:`) || text.includes(`Thread ${thread} (`)),
    )
    if (found.length !== 1) wrong.push(`${pull.name}: ${found.length} messages for one review`)
    for (const { at, id } of found) {
      if (at - sentAt < QUIET_MS) early.push(`${id}: after ${Math.round(at - sentAt)} ms`)
    }
  }
  report.check('doubled', 'a review leads to one message', rounds.length, wrong)
  report.check('wrong', 'no message before it was quiet for 20 seconds', messages.length, early)
}

async function checkAnswers(report: Report, { rounds, reviewers }: Evidence): Promise<void> {
  const doubled: string[] = []
  const lost: string[] = []
  let amount = 0
  const pulls = new Set(rounds.map(({ pull }) => pull.number))
  const found = new Map<number, readonly string[]>()
  for (const number of pulls) found.set(number, await reviewers.answersOf(number))
  for (const { pull, threads, isAnswered } of rounds) {
    const answers = found.get(pull.number) ?? []
    for (const thread of threads) {
      amount += 1
      const times = answers.filter((body) => body.includes(`${thread}.`)).length
      if (isAnswered && times === 0) lost.push(thread)
      if (times > 1) doubled.push(`${thread}: ${times} answers`)
    }
  }
  report.check('doubled', 'one answer for each thread', amount, doubled)
  report.check('lost', 'the host has every answer', amount, lost)
}

/** A force-push before each round does not reset the count. */
async function checkCounts(report: Report, { rounds, postgres }: Evidence): Promise<void> {
  const counted = await query<{ name: string; rounds: number }>(
    postgres,
    `select name, (review ->> 'rounds')::int as rounds from pull_request`,
  )
  const wanted = Map.groupBy(rounds, ({ pull }) => pull.name)
  report.check(
    'wrong',
    'rounds are counted whatever is pushed',
    counted.length,
    counted
      .filter(
        (each) => each.rounds < (wanted.get(each.name)?.filter(({ isAnswered }) => isAnswered).length ?? 0),
      )
      .map((each) => `${each.name}: ${each.rounds} of ${wanted.get(each.name)?.length ?? 0}`),
  )
}
