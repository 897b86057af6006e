import type { Resource } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { cleanText, shorten } from '../../output/clean-text.ts'
import { formatTable } from '../../output/table.ts'
import type { Io } from '../../io.ts'

const KIND = 'pull-request'

export function registerPr(program: Command, context: CommandContext): void {
  const pr = program
    .command('pr')
    .summary('pull requests that agents opened')
    .description(
      'Agents open them with their tool open_pull_request. Review comments and failing checks go back to the agent.',
    )
  registerList(pr, context)
  registerShow(pr, context)
}

function registerList(pr: Command, context: CommandContext): void {
  const command = pr
    .command('list')
    .summary('list pull requests, newest last')
    .option('--all', 'include closed and merged ones')
    .option('--workspace <name>', 'only those of agents in this workspace')
  withExample(command, 'skein pr list --all').action(
    async ({ all = false, workspace }: { readonly all?: boolean; readonly workspace?: string }) => {
      const found: PullRequest[] = []
      for await (const resource of (await context.skein()).catalog.list(KIND)) {
        const pull = describe(resource)
        if (!all && pull.state !== 'open') continue
        if (workspace === undefined || pull.workspace === workspace) found.push(pull)
      }
      found.sort((left, right) => left.createTime.localeCompare(right.createTime))
      context.print({ pullRequests: found }, () =>
        found.length === 0 ? noneFound(all) : formatList(context.io, found),
      )
    },
  )
}

function registerShow(pr: Command, context: CommandContext): void {
  const command = pr
    .command('show')
    .summary('show one pull request')
    .argument('<name>', 'its name, as in the list')
  withExample(command, 'skein pr show shop-12-3f9a1c07').action(async (name: string) => {
    const pull = describe(await (await context.skein()).catalog.get(KIND, name))
    context.print(pull, () =>
      formatTable([
        ['Title', shorten(pull.title, 200)],
        ['State', paintState(context.io, pull)],
        ['Repository', `${pull.repository} #${pull.number} on ${pull.codeHost}`],
        ['Branches', `${pull.head} into ${pull.base}`],
        ['Agent', `${pull.workspace}/${pull.agent} of ${pull.account}`],
        ['Opened', pull.createTime],
        ['Changed', pull.updateTime],
        ['URL', pull.url],
        ['Checks', pull.isConflicting ? `${pull.checks}, cannot be merged: conflicts` : pull.checks],
        ['Review', describeReview(pull)],
        ...(pull.reviewProblem === '' ? [] : [['Problem', shorten(pull.reviewProblem, 300)]]),
        ...pull.threads.map((thread, index) => [index === 0 ? 'Threads' : '', describeThread(thread)]),
      ]),
    )
  })
}

const REVIEWS: Readonly<Record<string, string>> = {
  watching: 'waits for news',
  working: 'the agent is at work on it',
  stopped: 'stopped: answer the agent, then it continues',
  ended: 'over',
}

function describeReview({ review, rounds }: PullRequest): string {
  return `${REVIEWS[review] ?? review}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`
}

function describeThread({ thread, author, path, line, state }: Thread): string {
  const place = path === '' ? '' : ` ${shorten(path, 60)}${line > 0 ? `:${line}` : ''}`
  return `${thread}${place} by ${author}: ${state}`
}

type PullRequest = ReturnType<typeof describe>
type Thread = PullRequest['threads'][number]

function describe({ name, document }: Resource) {
  const { metadata } = document
  const times: Readonly<Record<string, unknown>> =
    typeof metadata === 'object' && metadata !== null ? { ...metadata } : {}
  const text = (field: string): string => cleanText(textOf(document[field]))
  return {
    name: cleanText(name),
    codeHost: text('codeHost'),
    repository: text('repository'),
    number: Number(document['number']),
    url: text('url'),
    title: text('title'),
    state: text('state'),
    draft: document['draft'] === true,
    head: text('head'),
    base: text('base'),
    workspace: text('workspace'),
    account: text('account'),
    agent: text('agent'),
    checks: text('checks'),
    isConflicting: document['isConflicting'] === true,
    review: text('review'),
    reviewProblem: text('reviewProblem'),
    rounds: Number(document['rounds'] ?? 0),
    threads: listOf(document['threads']).map((thread) => ({
      thread: cleanText(textOf(thread['thread'])),
      author: cleanText(textOf(thread['author'])),
      path: cleanText(textOf(thread['path'])),
      line: Number(thread['line']),
      round: Number(thread['round']),
      state: cleanText(textOf(thread['state'])),
    })),
    createTime: cleanText(String(times['createTime'])),
    updateTime: cleanText(String(times['updateTime'])),
  }
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map((entry: unknown) => (isFields(entry) ? entry : {})) : []
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function noneFound(all: boolean): string {
  return all ? 'No agent has opened a pull request.' : 'No pull request is open. --all shows the others too.'
}

function formatList(io: Io, pulls: readonly PullRequest[]): string {
  return formatTable([
    ['NAME', 'STATE', 'REPOSITORY', 'AGENT', 'TITLE', 'URL'].map((title) => io.paint('dim', title)),
    ...pulls.map((pull) => [
      pull.name,
      paintState(io, pull),
      `${pull.repository}#${pull.number}`,
      `${pull.workspace}/${pull.agent}`,
      shorten(pull.title, 60),
      pull.url,
    ]),
  ])
}

function paintState(io: Io, { state, draft }: PullRequest): string {
  if (state === 'merged') return io.paint('magenta', state)
  if (state === 'closed') return io.paint('dim', state)
  return draft ? io.paint('yellow', 'draft') : io.paint('green', state)
}
