import { formatAgentName, isAsking, type AgentStatus } from '@skein/client'
import type { Io } from '../io.ts'
import { formatCost, formatSpan, paintPhase } from './facts.ts'

/** How an agent came to rest or to its end: what it said or asks, then one line with the facts. */
export function reportOutcome(io: Io, status: AgentStatus, branch = ''): string {
  const { phase, createTime, endTime, error } = status
  const span = formatSpan((endTime === '' ? Date.now() : Date.parse(endTime)) - Date.parse(createTime))
  const facts = [
    `${markOf(io, phase)} ${formatAgentName(status.agentId)} ${paintPhase(io, phase)}`,
    formatCost(status.treeCost),
    span,
    branch,
  ]
  const lines = [facts.filter(Boolean).join(' · ')]
  if (error.code !== '') lines.push(io.paint('red', indent(`${error.code}: ${error.message}`)))
  if (isAsking(status)) {
    lines.push(indent(`${io.paint('magenta', '?')} ${status.needsInput}`))
    lines.push(io.paint('dim', `  ${wayOn(status)}`))
  }
  if (status.output !== '') lines.push(indent(status.output))
  return lines.join('\n')
}

/** What is out of money needs money, not words. */
function wayOn({ agentId, run, needsInput }: AgentStatus): string {
  const name = formatAgentName(agentId)
  // A limit of time ends runs with the same reason.
  if (run.endReason === 'limit' && needsInput.includes('budget'))
    return `Raise it with: skein budget ${name} <dollars>`
  return `Answer with: skein send ${name} "…"`
}

function markOf(io: Io, phase: string): string {
  if (phase === 'PHASE_COMPLETED') return io.paint('green', '✔')
  if (phase === 'PHASE_FAILED') return io.paint('red', '✘')
  return phase === 'PHASE_CANCELED' ? io.paint('dim', '✘') : io.paint('yellow', '●')
}

/** What an agent wrote stands apart from what we say of it, however many lines it has. */
function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}
