import { formatAgentName, type TimelineEvent } from '@skein/client'
import type { Io } from '../io.ts'
import { shorten } from './clean-text.ts'
import { paintPhase, phaseName } from './facts.ts'
import { markOf } from './task-lines.ts'
import { announcesTool, repeatsEvent, toolLine } from './tool-line.ts'
import { wrapText } from './wrap-text.ts'

/** The time and two spaces. */
const INDENT = 10

/** What a person reads of an event; undefined for those that only programs care for. */
export function eventLines(io: Io, event: TimelineEvent): string | undefined {
  const text = describe(io, event)
  if (text === undefined) return undefined
  const time = new Date(event.time).toTimeString().slice(0, 8)
  const wrapped = wrapText(text, io.width - INDENT)
  return `${io.paint('dim', time)}  ${wrapped.replaceAll('\n', `\n${' '.repeat(INDENT)}`)}`
}

function describe(io: Io, event: TimelineEvent): string | undefined {
  const dim = (text: string): string => io.paint('dim', text)
  switch (event.type) {
    case 'agent.spawned':
      // The message that follows says what for.
      return io.paint('bold', '▸ spawned')
    case 'follow-up.queued':
      return `${io.paint('blue', '→')} ${shorten(event.followUp.description, 300)}`
    case 'follow-up.deferred':
      return `${io.paint('blue', '⏱')} ${shorten(event.followUp.description, 300)} ${dim(`at ${event.followUp.deliverAt}`)}`
    case 'follow-up.dropped':
      return `${io.paint('yellow', '✗')} message ${event.followUpId} dropped: ${event.cause}`
    case 'run.started':
      return dim(`run ${event.runId} started${event.attempt > 1 ? `, attempt ${event.attempt}` : ''}`)
    case 'run.progressed':
      return announcesTool(event.message) ? undefined : dim(`… ${shorten(event.message, 200)}`)
    case 'run.message':
      return event.text
    case 'run.tool-called':
      if (repeatsEvent(event.tool, event.output)) return undefined
      return toolLine(io, event.tool, event.input, event.output)
    case 'run.pushed':
      return `${io.paint('green', '↑ pushed')} ${event.ref.replace(/^refs\/heads\//, '')} ${dim(`${event.commit.slice(0, 10)}, ${count(event.files.length, 'file')}`)}`
    case 'run.attempt-lost':
      return io.paint('yellow', `run ${event.runId}: lost its runner, goes on elsewhere`)
    case 'run.attempt-failed':
      return io.paint('yellow', `run ${event.runId}: ${shorten(event.message, 300)}; tries again`)
    case 'run.paused':
      return io.paint(
        'yellow',
        `run ${event.runId} pauses until ${event.resumeTime}: ${shorten(event.message, 200)}`,
      )
    case 'run.stop-requested':
      return dim(`stop of run ${event.runId} asked by ${event.actor}`)
    case 'run.ended':
      return dim(`run ${event.runId} ${event.reason}`)
    case 'task.created':
    case 'task.updated':
      return `${markOf(event.task)} ${shorten(event.task.subject, 120)}`
    case 'child.spawned':
      return `${io.paint('cyan', '+')} child ${formatAgentName(event.child)}`
    case 'child.phase-changed':
      // Pending is where each one begins, and the line before has said so.
      if (event.phase === 'PHASE_PENDING') return undefined
      return `${io.paint('cyan', '·')} child ${formatAgentName(event.child)} ${paintPhase(io, event.phase)}`
    case 'agent.budget-changed':
      return dim(event.maxCost === 0 ? 'budget taken away' : `budget now $${event.maxCost}`)
    case 'agent.phase-changed':
      if (event.needsInput === '') return undefined
      return `${io.paint('magenta', `? ${phaseName(event.to)}:`)} ${event.needsInput}`
    default:
      return undefined
  }
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
