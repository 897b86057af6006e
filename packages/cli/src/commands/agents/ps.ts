import type { Command } from 'commander'
import { flatten, readTree, type AgentNode, type TreeFilter } from '../../agent-tree.ts'
import { watchTree } from '../../watch-tree.ts'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import type { Io } from '../../io.ts'
import { formatJson, shorten } from '../../output/clean-text.ts'
import { widthOf } from '../../output/colors.ts'
import { collectLabel } from '../../command-line/labels.ts'
import { formatAge, formatCost, paintStanding } from '../../output/facts.ts'
import { describeDeferred, describePending } from '../../output/pending.ts'
import { formatTable } from '../../output/table.ts'

interface PsOptions {
  readonly all?: true
  readonly watch?: true
  readonly account?: string
  readonly label?: Readonly<Record<string, string>>
}

export function registerPs(program: Command, context: CommandContext): void {
  const command = program
    .command('ps')
    .summary('list agents as a tree')
    .argument('[agent]', 'only the descendants of this agent')
    .option('-a, --all', 'include agents that have ended')
    .option('-w, --watch', 'update the list live, until Ctrl-C')
    .option('--account <account>', 'whose agents: a name, or * for everyone’s; default: yours')
    .option('--label <key=value>', 'only roots with this label; may be repeated', collectLabel)
  withExample(command, 'skein ps --all --watch').action(
    async (name: string | undefined, options: PsOptions) => {
      const filter: TreeFilter = {
        includeTerminal: options.all ?? false,
        ...(options.account !== undefined && { account: options.account }),
        ...(options.label && { labels: options.label }),
        ...(name !== undefined && { below: (await context.agent(name)).name }),
      }
      if (options.watch) await watchList(context, filter)
      else printList(context, await readTree(await context.skein(), filter), filter)
    },
  )
}

function printList(
  context: CommandContext,
  nodes: readonly AgentNode[],
  { includeTerminal }: TreeFilter,
): void {
  const none = includeTerminal
    ? 'No agents. Start one with: skein spawn "…"'
    : 'No running agents. Start one with: skein spawn "…"\nAgents that have ended: skein ps --all'
  context.print(toDocument(nodes), () =>
    nodes.length === 0 ? none : formatList(context.io, nodes, Date.now()),
  )
}

async function watchList(context: CommandContext, filter: TreeFilter): Promise<void> {
  const { io } = context
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  let shown = ''
  for await (const nodes of watchTree(await context.skein(), filter, stop.signal)) {
    const document = formatJson(toDocument(nodes))
    if (context.isJson) {
      if (document !== shown) io.print(document)
    } else if (io.isTerminal) {
      io.redraw(fitLines(io, nodes))
    } else if (document !== shown) {
      io.print(`${formatList(io, nodes, Date.now())}\n`)
    }
    shown = document
  }
}

function fitLines(io: Io, nodes: readonly AgentNode[]): string[] {
  const time = new Date().toTimeString().slice(0, 8)
  const head = io.paint('dim', `Agents: ${flatten(nodes).length} at ${time}, Ctrl-C ends`)
  const lines = [head, ...formatList(io, nodes, Date.now()).split('\n')]
  return lines.length < io.height ? lines : [...lines.slice(0, io.height - 2), io.paint('dim', '…')]
}

function formatList(io: Io, nodes: readonly AgentNode[], nowMs: number): string {
  const titles = ['AGENT', 'PHASE', 'COST', 'AGE', 'UPDATED', 'DETAILS'].map((title) =>
    io.paint('dim', title),
  )
  const rows = rowsOf(io, nodes, nowMs, '')
  const facts = formatTable([titles.slice(0, -1), ...rows.map((row) => row.slice(0, -1))])
  const taken = Math.max(...facts.split('\n').map((line) => widthOf(line)))
  // A question that doesn't fit would wrap and break the layout.
  const room = Math.min(60, Math.max(10, io.width - taken - 2))
  return formatTable([titles, ...rows.map((row) => [...row.slice(0, -1), shorten(row.at(-1) ?? '', room)])])
}

function rowsOf(
  io: Io,
  nodes: readonly AgentNode[],
  nowMs: number,
  indent: string,
  isRoot = true,
): string[][] {
  return nodes.flatMap(({ name, entry, children }, index) => {
    const isLast = index === nodes.length - 1
    const branch = isRoot ? '' : `${indent}${isLast ? '└─ ' : '├─ '}`
    const row = [
      branch + (isRoot ? name : (entry.agentId.agent.at(-1) ?? name)),
      paintStanding(io, entry),
      formatCost(entry.cost),
      formatAge(entry.createTime, nowMs),
      describeUpdate(entry.progressAt, nowMs),
      entry.needsInput || describePending(entry, nowMs) || describeDeferred(entry, nowMs),
    ]
    const below = isRoot ? '' : `${indent}${isLast ? '   ' : '│  '}`
    return [row, ...rowsOf(io, children, nowMs, below, false)]
  })
}

function describeUpdate(progressAt: string, nowMs: number): string {
  return progressAt === '' ? '' : `${formatAge(progressAt, nowMs)} ago`
}

/** Flat, parents before their children: the name shows the position in the tree. */
function toDocument(nodes: readonly AgentNode[]): object {
  return { agents: flatten(nodes).map(({ name, entry }) => ({ agent: name, ...entry })) }
}
