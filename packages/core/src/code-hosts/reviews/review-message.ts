import type { Task } from '@skein/contract'
import { newTask } from '../../agent/checklist.ts'
import { quoteOutsideText } from '../../automations/outside-text.ts'
import { toIdentifier } from '../../automations/triggers/quote-text.ts'
import type { HostComment, HostThread } from './conversation.ts'
import { REVIEW_LIMITS } from './limits.ts'
import { cutComment, type RoundNews, type ThreadNews } from './plan-round.ts'

/** The pull request that a message is about. */
export interface ReviewedPull {
  /** Of its record. */
  readonly name: string
  readonly url: string
  readonly commit: string
  readonly base: string
}

/** What an agent calls a thread: unique among all its pull requests. */
export function threadName(pull: Pick<ReviewedPull, 'name'>, key: string): string {
  return `${pull.name}/${key}`
}

export function parseThreadName(text: string): { readonly name: string; readonly key: string } {
  const slash = text.indexOf('/')
  return { name: text.slice(0, Math.max(slash, 0)), key: text.slice(slash + 1) }
}

/** Deterministic: sent again, it is the same message. */
export function reviewFollowUpId(name: string, number: number): string {
  return `review:${name}:${number}`
}

export function describeRound(
  pull: ReviewedPull,
  { threads, failing, isConflicting }: RoundNews,
  round: { readonly number: number; readonly limit: number },
): string {
  const parts = [
    `There is news about your pull request ${pull.url} (round ${round.number} of ${round.limit}).`,
    ...threads.map((news) => describeThread(pull, news)),
    ...failing.map(({ name, log }) =>
      [
        `A check fails for commit ${toIdentifier(pull.commit)}. Its name and the end of what it says:`,
        quoteOutsideText(`${name}\n${endOf(log)}`, 'from a check of the code host'),
      ].join('\n'),
    ),
    ...(isConflicting
      ? [`It cannot be merged into ${toIdentifier(pull.base)}: there are conflicts. Resolve them and push.`]
      : []),
    ...(threads.length > 0 ? [ANSWERING] : ['Push what is needed, then end your turn.']),
  ]
  return parts.join('\n\n')
}

const ANSWERING =
  'Do what the comments ask for, as far as it is within your task, and push it. Then call answer_thread once for each thread, with resolve if it is done, and end your turn. Your answers are posted when you rest.'

function describeThread(pull: ReviewedPull, { thread, comments }: ThreadNews): string {
  const quotes = comments.map((comment) => quoteComment(comment, cutComment(comment)))
  return [`Thread ${threadName(pull, thread.key)}${placeOf(thread)}:`, ...quotes].join('\n')
}

/** One for each thread. Gone when the run ends. */
export function threadTasks(
  pull: ReviewedPull,
  threads: readonly ThreadNews[],
  mintId: () => string,
): Task[] {
  return threads.map(({ thread, comments }) => {
    const name = threadName(pull, thread.key)
    const newest = comments.at(-1)
    const text = newest ? quoteComment(newest, newest.body.slice(0, REVIEW_LIMITS.taskTextLength)) : ''
    const task = newTask({ subject: `Answer thread ${name}${placeOf(thread)}`, description: text }, mintId())
    return { ...task, dedupKey: name, ephemeral: true }
  })
}

function quoteComment({ author }: HostComment, text: string): string {
  return quoteOutsideText(text, `a comment of ${toIdentifier(author)} on the pull request`)
}

function placeOf({ place }: HostThread): string {
  if (place.path === '') return ''
  const where = toIdentifier(place.path)
  return place.line > 0 ? ` (${where}, line ${place.line})` : ` (${where})`
}

function endOf(log: string): string {
  const { logLength } = REVIEW_LIMITS
  return log.length <= logLength ? log : `[The beginning is left out.]\n${log.slice(-logLength)}`
}

const STOPS = {
  rounds: (limit: number) =>
    `There is more news about it, but you have had ${limit} rounds without a person stepping in.`,
  'same-failure': () => 'After your last push, its checks fail in the same way as before.',
}

export function describeStop(
  pull: Pick<ReviewedPull, 'url'>,
  cause: keyof typeof STOPS,
  limit: number,
): string {
  return [
    `About your pull request ${pull.url}. ${STOPS[cause](limit)}`,
    'Do not change anything now. Call ask_for_input: say in a few sentences what was tried, what is left, and what you need to know, so that a person can decide. Then end your turn.',
  ].join('\n\n')
}

export function describeEnd(pull: Pick<ReviewedPull, 'url'>, state: 'merged' | 'closed'): string {
  return state === 'merged'
    ? `Your pull request ${pull.url} was merged. If nothing is left to do, call finish.`
    : `Your pull request ${pull.url} was closed without being merged. Do not push to it any more. Call finish, or ask_for_input if you need to know why.`
}
