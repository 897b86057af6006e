import { formatAgentName, isAsking, type AgentStatus } from '@skein/client'
import type { Io } from '../io.ts'
import { formatCost, formatSpan, paintPhase } from './facts.ts'

/** An agent's result: its last message or question, then one line with the facts. */
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

/** An agent out of budget needs budget, not an answer. */
function wayOn({ agentId, run, needsInput }: AgentStatus): string {
  const name = formatAgentName(agentId)
  // An admin raises it, and the question says how.
  if (needsInput.startsWith('The budget ') && needsInput.includes('skein edit budget'))
    return `See what it is for with: skein get budget`
  // A time limit ends runs with the same reason.
  if (run.endReason === 'limit' && needsInput.includes('budget'))
    return `Raise it with: skein budget ${name} <dollars>`
  return `Answer with: skein send ${name} "…"`
}

function markOf(io: Io, phase: string): string {
  if (phase === 'PHASE_COMPLETED') return io.paint('green', '✔')
  if (phase === 'PHASE_FAILED') return io.paint('red', '✘')
  return phase === 'PHASE_CANCELED' ? io.paint('dim', '✘') : io.paint('yellow', '●')
}

/** Sets the agent's text apart from ours. */
function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}
