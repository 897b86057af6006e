import { cutText, type CodeHostDocument } from '@skein/contract'
import { quoteOutsideText } from '../../automations/outside-text.ts'
import { toIdentifier } from '../../automations/triggers/quote-text.ts'
import { cleanTitle, pullRequestUrl } from '../pull-request.ts'
import type { Repository } from '../repository.ts'
import type { StartRequest } from './find-requests.ts'
import type { HostIssue } from './host-issue.ts'
import { START_LIMITS } from './limits.ts'
import type { StartOutcome } from './start-state.ts'

export interface StartText {
  readonly issue: HostIssue
  readonly url: string
  /** Of people who may. */
  readonly requests: readonly StartRequest[]
  /** The issue's author may be heard. */
  readonly isIssueTrusted: boolean
  readonly instructions: string
}

/** What a new agent is told. Nothing in it was written by anybody who may not steer it. */
export function describeStart(text: StartText): string {
  const { issue, url, requests, isIssueTrusted, instructions } = text
  const what = issue.pull ? 'pull request' : 'issue'
  const parts = [
    `You are asked to work on ${what} #${issue.number}: ${url}`,
    ...(issue.pull
      ? [
          `Its branch is ${toIdentifier(issue.pull.head)}, for ${toIdentifier(issue.pull.base)}. Fetch it if you need it. You push to your own branch.`,
        ]
      : []),
    ...(instructions.trim() === '' ? [] : [instructions.trim()]),
    ...(isIssueTrusted ? [quoteIssue(issue, what)] : []),
    ...quoteRequests(requests, what),
    isIssueTrusted ? '' : `The text of the ${what} is left out: its author has no write access.`,
    'Do what they ask for. Push your branch and open a pull request with open_pull_request if there is something to merge, then end your turn. If something is unclear, ask with ask_for_input.',
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** What an agent is told that works on the issue already. */
export function describeContinuation({ issue, url, requests }: StartText): string {
  const what = issue.pull ? 'pull request' : 'issue'
  const mentions = quoteRequests(requests, what)
  const parts =
    mentions.length > 0
      ? [`You are asked for more about ${what} #${issue.number}: ${url}`, ...mentions]
      : [`Continue with ${what} #${issue.number}: ${url}`]
  return parts.join('\n\n')
}

/** The review loop gives it the comments. */
export function describeWakeUp({ url }: Pick<StartText, 'url'>): string {
  return `You are asked to continue with your pull request ${url}. The comments follow in another message: end your turn until then.`
}

function quoteIssue({ title, body, author }: HostIssue, what: string): string {
  const text = `${cleanTitle(title)}\n\n${cut(body, START_LIMITS.bodyLength)}`.trim()
  return quoteOutsideText(text, `the ${what}, by ${toIdentifier(author)}`)
}

function quoteRequests(requests: readonly StartRequest[], what: string): string[] {
  return requests
    .filter(({ text }) => text !== '')
    .slice(-START_LIMITS.comments)
    .map(({ text, person }) =>
      quoteOutsideText(
        cut(text, START_LIMITS.commentLength),
        `a comment of ${toIdentifier(person)} on the ${what}`,
      ),
    )
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${cutText(text, length)}\n[The rest is left out.]`
}

interface StartReply {
  readonly id: string
  readonly person: string
  readonly outcome: StartOutcome
  readonly reason: string
  readonly agent: string
  /** Of the agent; empty if the server does not know its own. */
  readonly url: string
  /** The name to mention; empty if there is none. */
  readonly mention: string
}

/** In every reply: by it a reply is found if the server that posted it could not record that, and nothing starts from it. */
export function startMarker(orderId: string): string {
  return `<!-- skein start ${orderId} -->`
}

export function composeReply(reply: StartReply): string {
  const { id, person } = reply
  return `@${toIdentifier(person)} ${REPLIES[reply.outcome](reply)}\n\n${startMarker(id)}\n`
}

const agentOf = ({ agent, url }: StartReply) => (url === '' ? `\`${agent}\`` : `[\`${agent}\`](${url})`)

const REPLIES: Readonly<Record<StartOutcome, (reply: StartReply) => string>> = {
  started: (reply) => `The agent ${agentOf(reply)} works on it.`,
  continued: (reply) => `The agent ${agentOf(reply)} works on it and has your message.`,
  fork: () => 'No agent was started: agents do not work on pull requests from forks.',
  stranger: ({ mention }) =>
    [
      'No agent was started: agents read only what people with write access have written, and the author of this text has none.',
      mention === ''
        ? 'Open an issue that says what to do.'
        : `Say what to do in a comment that mentions \`@${mention}\`.`,
    ].join(' '),
  'person-limit': () =>
    'No agent was started: you have asked for as many as one person may within an hour. Ask again later.',
  'repository-limit': () =>
    'No agent was started: this repository has started as many as it may within an hour. Ask again later.',
  'tenant-limit': () =>
    'No agent was started: as many as possible were started within the last hour. Ask again later.',
  streak: () =>
    'No agent was started: you have asked many times in a row on this issue. Someone else has to ask, or try again tomorrow.',
  quota: () => 'No agent was started: the quota is used up. Ask again when other agents have finished.',
  refused: ({ reason }) =>
    `No agent was started (${toIdentifier(reason)}). An administrator of Skein can find out why.`,
}

/** What the body of an agent's pull request says about the issue that it was started from. */
export function nameIssue(
  { number, isPull }: { readonly number: number; readonly isPull: boolean },
  closes: boolean,
): string {
  return closes && !isPull ? `Closes #${number}.` : `For #${number}.`
}

export function issueUrl(
  host: Pick<CodeHostDocument, 'type' | 'url'>,
  repository: Repository,
  { number, pull }: HostIssue,
): string {
  if (pull) return pullRequestUrl(host, repository, number)
  const { owner, name } = repository
  const issues = host.type === 'gitlab' ? '-/issues' : 'issues'
  return `${host.url.replace(/\/+$/, '')}/${owner}/${name}/${issues}/${number}`
}
