import { formatAgentName, type AgentStatus } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import type { Io } from '../../io.ts'
import { shorten } from '../../output/clean-text.ts'
import { formatAge, formatCost, paintStanding, runEndName } from '../../output/facts.ts'
import { describePending } from '../../output/pending.ts'
import { formatTable } from '../../output/table.ts'
import { taskLines } from '../../output/task-lines.ts'

export function registerStatus(program: Command, context: CommandContext): void {
  const command = program
    .command('status')
    .summary('show everything about one agent')
    .argument('<agent>', 'workspace/agent/child')
  withExample(command, 'skein status shop/release').action(async (name: string) => {
    const status = await (await context.agent(name)).status()
    context.print(status, () => formatStatus(context.io, status, Date.now()))
  })
}

function formatStatus(io: Io, status: AgentStatus, nowMs: number): string {
  const { run, error, tasks, followUps, followUpCount = followUps.length } = status
  const facts: [string, string][] = [
    ['agent', io.paint('bold', formatAgentName(status.agentId))],
    ['phase', [paintStanding(io, status), describePending(status, nowMs)].filter(Boolean).join(': ')],
    ['asks', shorten(status.needsInput, 500)],
    ['error', error.code === '' ? '' : io.paint('red', `${error.code}: ${error.message}`)],
    ['run', describeRun(run)],
    ['branch', status.branches.map(({ branch, commit }) => `${branch} at ${commit.slice(0, 10)}`).join(', ')],
    ['model', [status.model, status.reasoningEffort, status.serviceTier].filter(Boolean).join(', ')],
    ['persona', status.persona],
    ['cost', describeCost(status)],
    ['tokens', status.totalTokens],
    ['age', formatAge(status.createTime, nowMs)],
    [
      'labels',
      Object.entries(status.labels)
        .map((pair) => pair.join('='))
        .join(' '),
    ],
    ['dashboard', status.dashboardUrl],
    ['work', shorten(status.description, 500)],
    ['said', shorten(status.lastMessage, 500)],
    ['output', shorten(status.output, 500)],
  ]
  const parts = [formatTable(facts.filter(([, value]) => value !== ''))]
  if (tasks.length > 0) parts.push(taskLines(io, tasks, status.openTaskIds).join('\n'))
  if (followUps.length > 0) {
    parts.push(`${followUpCount} not delivered yet: skein queue ls ${formatAgentName(status.agentId)}`)
  }
  return parts.join('\n\n')
}

function describeRun({ runId, state, endReason, attempt }: AgentStatus['run']): string {
  if (runId === '0') return ''
  const now = endReason === '' ? state.replace('RUN_STATE_', '').toLowerCase() : runEndName(endReason)
  return `${runId}, ${now}${attempt > 1 ? `, attempt ${attempt}` : ''}`
}

function describeCost({ cost, treeCost, maxCost }: AgentStatus): string {
  const tree = treeCost > cost ? `, ${formatCost(treeCost)} with its children` : ''
  return `${formatCost(cost)}${tree}${maxCost > 0 ? ` of ${formatCost(maxCost)}` : ''}`
}
