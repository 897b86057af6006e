import { formatAgentName, type TimelineEvent } from '@skein/client'
import type { Io } from '../io.ts'
import { shorten } from './clean-text.ts'
import { paintPhase, phaseName, runEndName } from './facts.ts'
import { markOf } from './task-lines.ts'
import { repeatsEvent, toolLine } from './tool-line.ts'
import { wrapText } from './wrap-text.ts'

/** The time and two spaces. */
const INDENT = 10

type EventOf<Type extends TimelineEvent['type']> = Extract<TimelineEvent, { type: Type }>

/** Describes a timeline to people. Remembers tasks and messages that later events refer to by id. */
export class EventNarrator {
  readonly #io: Io
  readonly #subjects = new Map<string, string>()
  readonly #messages = new Map<string, string>()

  constructor(io: Io) {
    this.#io = io
  }

  /** The line for an event; undefined for events that only matter to programs. */
  tell(event: TimelineEvent): string | undefined {
    const text = this.#describe(event)
    this.#remember(event)
    if (text === undefined) return undefined
    const time = new Date(event.time).toTimeString().slice(0, 8)
    const wrapped = wrapText(text, this.#io.width - INDENT)
    return `${this.#io.paint('dim', time)}  ${wrapped.replaceAll('\n', `\n${' '.repeat(INDENT)}`)}`
  }

  #remember(event: TimelineEvent): void {
    if (event.type === 'task.created' || event.type === 'task.updated') {
      this.#subjects.set(event.task.id, event.task.subject)
    }
    if (event.type === 'follow-up.queued' || event.type === 'follow-up.deferred') {
      this.#messages.set(event.followUp.followUpId, event.followUp.description)
    }
  }

  #describe(event: TimelineEvent): string | undefined {
    const io = this.#io
    const dim = (text: string): string => io.paint('dim', text)
    switch (event.type) {
      case 'agent.spawned':
        // The following message says what for.
        return io.paint('bold', '▸ spawned')
      case 'follow-up.queued':
        return `${io.paint('blue', '→')} ${shorten(event.followUp.description, 300)}`
      case 'follow-up.deferred':
        return `${io.paint('blue', '⏱')} ${shorten(event.followUp.description, 300)} ${dim(`at ${event.followUp.deliverAt}`)}`
      case 'follow-up.delivered':
        if (!event.steered) return undefined
        return `${io.paint('blue', '↪')} steered: ${this.#messageOf(event.followUpId)}`
      case 'follow-up.removed':
        return `${io.paint('yellow', '✗')} message removed by ${event.actor}: ${this.#messageOf(event.followUpId)}`
      case 'follow-up.cleared':
        return `${io.paint('yellow', '✗')} message replaced: ${this.#messageOf(event.followUpId)}`
      case 'follow-up.dropped':
        return `${io.paint('yellow', '✗')} message dropped because ${event.cause}: ${this.#messageOf(event.followUpId)}`
      case 'run.started':
        return dim(`run ${event.runId} started${event.attempt > 1 ? `, attempt ${event.attempt}` : ''}`)
      case 'run.progressed':
        return dim(`… ${shorten(event.message, 200)}`)
      case 'run.message':
        return event.text
      case 'run.tool-called':
        return repeatsEvent(event) ? undefined : toolLine(io, event)
      case 'run.pushed':
        return `${io.paint('green', '↑ pushed')} ${event.ref.replace(/^refs\/heads\//, '')} ${dim(`${event.commit.slice(0, 10)}, ${count(event.files.length, 'file')}`)}`
      case 'run.attempt-lost':
        return io.paint('yellow', `run ${event.runId}: runner lost, continuing on another`)
      case 'run.attempt-failed':
        return io.paint('yellow', `run ${event.runId}: ${shorten(event.message, 300)}; retrying`)
      case 'run.paused':
        return io.paint(
          'yellow',
          `run ${event.runId} paused until ${event.resumeTime}: ${shorten(event.message, 200)}`,
        )
      case 'run.stop-requested':
        return dim(`run ${event.runId}: stop requested by ${event.actor}`)
      case 'run.ended':
        return this.#describeEnd(event)
      case 'task.created':
      case 'task.updated':
        return `${markOf(event.task)} ${shorten(event.task.subject, 120)}`
      case 'task.activated':
        return `☐ ${this.#subjectOf(event.taskId)} ${dim('(now active)')}`
      case 'task.removed':
        return `☒ ${this.#subjectOf(event.taskId)} ${dim('(removed)')}`
      case 'children.awaited':
        return dim(`waiting for ${event.children.join(', ')}`)
      case 'child.spawned':
        return `${io.paint('cyan', '+')} child ${formatAgentName(event.child)}`
      case 'child.phase-changed':
        // Every child starts as pending, which the previous line already showed.
        if (event.phase === 'PHASE_PENDING') return undefined
        return `${io.paint('cyan', '·')} child ${formatAgentName(event.child)} ${paintPhase(io, event.phase)}`
      case 'agent.budget-changed':
        return dim(event.maxCost === 0 ? 'budget removed' : `budget now $${event.maxCost}`)
      case 'agent.budget-reached':
        return io.paint('yellow', `${event.percent} % of the budget of $${event.maxCost} spent`)
      case 'agent.phase-changed':
        return this.#describePhase(event)
      default:
        return undefined
    }
  }

  #describeEnd({ runId, reason, error }: EventOf<'run.ended'>): string {
    const text = `run ${runId} ${runEndName(reason)}`
    if (error.code === '') return this.#io.paint('dim', text)
    return this.#io.paint('red', `${text}: ${error.code}: ${shorten(error.message, 500)}`)
  }

  #describePhase({ to, needsInput, actor }: EventOf<'agent.phase-changed'>): string | undefined {
    const io = this.#io
    if (to === 'PHASE_COMPLETED') return io.paint('green', '✔ agent completed')
    if (to === 'PHASE_FAILED') return io.paint('red', '✘ agent failed')
    if (to === 'PHASE_CANCELED') return io.paint('red', `✘ agent killed by ${actor}`)
    return needsInput === '' ? undefined : `${io.paint('magenta', `? ${phaseName(to)}:`)} ${needsInput}`
  }

  #messageOf(followUpId: string): string {
    return shorten(this.#messages.get(followUpId) ?? followUpId, 200)
  }

  #subjectOf(taskId: string): string {
    return shorten(this.#subjects.get(taskId) ?? taskId, 120)
  }
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
