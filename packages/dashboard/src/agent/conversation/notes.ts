import type { AgentId, Phase, Task, TaskStatus, TimelineEvent } from '@skein/client'
import { formatMoney } from '../../format/money.ts'

export type NoteTone = 'plain' | 'good' | 'warning' | 'bad'

/** One line about an event other than a message. */
export interface Note {
  readonly text: string
  /** Text by an agent or a person, shown below the line. */
  readonly detail?: string | undefined
  readonly tone: NoteTone
  /** An internal event: hidden unless everything is shown. */
  readonly isQuiet: boolean
  readonly phase?: Phase | undefined
  readonly agent?: AgentId | undefined
}

const plain = (text: string, more: Partial<Note> = {}): Note => ({
  text,
  tone: 'plain',
  isQuiet: false,
  ...more,
})
const quiet = (text: string): Note => plain(text, { isQuiet: true })

/** Finds a task's subject; empty if unknown. */
type SubjectOf = (taskId: string) => string

/** For events that don't have their own kind of item. */
export function describeEvent(event: TimelineEvent, subjectOf: SubjectOf = () => ''): Note {
  switch (event.type) {
    case 'agent.spawned':
      return event.resumed ? plain('Continued') : quiet(`Spawned, life ${event.incarnation}`)
    case 'agent.phase-changed':
      return describePhase(event.to, event.needsInput)
    case 'agent.settings-changed':
      return plain(`Settings: ${describeSettings(event)}`)
    case 'agent.budget-changed':
      return plain(event.maxCost === 0 ? 'Budget removed' : `Budget set to ${formatMoney(event.maxCost)}`)
    case 'agent.budget-reached':
      return plain(
        event.percent >= 100
          ? `The budget of ${formatMoney(event.maxCost)} is used up`
          : `${event.percent} % of the budget of ${formatMoney(event.maxCost)} is spent`,
        { tone: 'warning' },
      )
    case 'follow-up.queued':
      return quiet('Message queued')
    case 'follow-up.deferred':
      return quiet('Message deferred')
    case 'follow-up.due':
      return quiet('A deferred message is due')
    case 'follow-up.delivered':
      return quiet(`Message delivered in run ${event.runId}`)
    case 'follow-up.cleared':
      return plain('A queued message was cleared')
    case 'follow-up.removed':
      return plain('A queued message was removed')
    case 'follow-up.dropped':
      return plain('A message could not be delivered', { detail: event.cause, tone: 'bad' })
    case 'run.queued':
      return quiet(`Run ${event.runId} queued`)
    case 'run.started':
      return quiet(`Run ${event.runId} started`)
    case 'run.progressed':
      return plain(event.message)
    case 'run.tool-started':
      return quiet(`Tool ${event.tool} started`)
    case 'run.message':
      return quiet('Message from the agent')
    case 'run.tool-called':
      return quiet(`Tool ${event.tool} called`)
    case 'run.pushed':
      return quiet(`Pushed ${event.ref}`)
    case 'run.metered':
      return quiet(
        `Spent ${formatMoney(event.cost)} on ${event.inputTokens} tokens in, ${event.outputTokens} out`,
      )
    case 'run.stop-requested':
      return plain(
        event.mode === 'STOP_TURN_MODE_KILL'
          ? `Run ${event.runId}: immediate stop requested`
          : `Run ${event.runId}: stop requested`,
        { tone: 'warning' },
      )
    case 'run.attempt-lost':
      return plain(`Attempt ${event.attempt} of run ${event.runId} was lost; retrying`, {
        tone: 'warning',
      })
    case 'run.attempt-failed':
      return plain(`Attempt ${event.attempt} of run ${event.runId} failed; retrying`, {
        detail: event.message,
        tone: 'warning',
      })
    case 'run.saved':
      return quiet(`Session of run ${event.runId} saved`)
    case 'run.paused':
      return plain(`Run ${event.runId} paused until ${new Date(event.resumeTime).toLocaleString()}`, {
        detail: event.message,
        tone: 'warning',
      })
    case 'run.ended':
      return quiet(`Run ${event.runId} ended`)
    case 'task.created':
      return plain(`Task added: ${event.task.subject}`)
    case 'task.updated':
      return describeTask(event.task)
    case 'task.removed':
      return plain(withSubject('Task removed', subjectOf(event.taskId)))
    case 'task.activated':
      return plain(withSubject('Task activated', subjectOf(event.taskId)))
    case 'children.awaited':
      return plain(`Waiting for ${event.children.join(', ')}`)
    case 'child.spawned':
      return plain('Spawned', { agent: event.child })
    case 'child.phase-changed':
      return plain('Child', { agent: event.child, phase: event.phase, isQuiet: isPassing(event.phase) })
  }
}

/** Phases that occur in every run. */
function isPassing(phase: Phase): boolean {
  return phase === 'PHASE_RUNNING' || phase === 'PHASE_PENDING'
}

function describePhase(phase: Phase, needsInput: string): Note {
  if (phase === 'PHASE_WAITING' && needsInput !== '') {
    return { text: 'Asks', detail: needsInput, tone: 'warning', isQuiet: false }
  }
  return { text: 'The agent is', tone: 'plain', isQuiet: isPassing(phase), phase }
}

interface Settings {
  readonly persona: string
  readonly model: string
  readonly reasoningEffort: string
  readonly serviceTier: string
  readonly fastMode: boolean
}

function describeSettings(settings: Settings): string {
  const { persona, model, reasoningEffort, serviceTier, fastMode } = settings
  return [
    persona !== '' && `persona ${persona}`,
    model !== '' && `model ${model}`,
    reasoningEffort !== '' && `effort ${reasoningEffort}`,
    serviceTier !== '' && `tier ${serviceTier}`,
    fastMode && 'fast mode',
  ]
    .filter((part) => part !== false)
    .join(', ')
}

function withSubject(text: string, subject: string): string {
  return subject === '' ? text : `${text}: ${subject}`
}

const TASK_WORDS: Readonly<Record<TaskStatus, string>> = {
  TASK_STATUS_UNSPECIFIED: 'changed',
  TASK_STATUS_PENDING: 'open',
  TASK_STATUS_IN_PROGRESS: 'started',
  TASK_STATUS_COMPLETED: 'done',
  TASK_STATUS_DELETED: 'deleted',
}

function describeTask({ status, subject }: Task): Note {
  const tone = status === 'TASK_STATUS_COMPLETED' ? 'good' : 'plain'
  return plain(`Task ${TASK_WORDS[status]}: ${subject}`, { tone })
}
