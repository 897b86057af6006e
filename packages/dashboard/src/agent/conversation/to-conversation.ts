import type { FollowUp, Task, TimelineEvent } from '@skein/client'
import { sequenceOf } from '../../live/timeline-events.ts'
import { summarizeRuns } from '../run-summaries.ts'
import type { ConversationItem, MessageToAgent, RunEnd, ToolGroup } from './items.ts'
import { describeEvent } from './notes.ts'
import { summarizeInput, toolName } from './tool-text.ts'

type Events = readonly TimelineEvent[]
type EventOf<Type extends TimelineEvent['type']> = Extract<TimelineEvent, { readonly type: Type }>
type Accepted = EventOf<'follow-up.queued'> | EventOf<'follow-up.deferred'>

const ENDS_CALLS: ReadonlySet<TimelineEvent['type']> = new Set([
  'run.started',
  'run.attempt-lost',
  'run.attempt-failed',
  'run.paused',
  'run.ended',
])

interface ConversationOptions {
  /** Also show internal events. */
  readonly isComplete?: boolean
  /** The checklist, for tasks added before the first loaded event. */
  readonly tasks?: readonly Task[]
}

/** The messages, with what was done in between. */
export function toConversation(
  events: Events,
  { isComplete = false, tasks = [] }: ConversationOptions = {},
): readonly ConversationItem[] {
  return new ConversationWriter(events, isComplete, tasks).write(events)
}

class ConversationWriter {
  readonly #isComplete: boolean
  readonly #messages = new Map<string, FollowUp & { readonly author: string }>()
  readonly #waiting: ReadonlySet<TimelineEvent>
  readonly #runs: ReadonlyMap<string, ReturnType<typeof summarizeRuns>[number]>
  readonly #items: ConversationItem[] = []
  readonly #subjects: Map<string, string>
  #spawnText: string | undefined
  #lastSaid = ''
  /** Calls that have not ended, by their ids. */
  readonly #calling = new Map<string, EventOf<'run.tool-started'>>()

  constructor(events: Events, isComplete: boolean, tasks: readonly Task[]) {
    this.#isComplete = isComplete
    this.#subjects = new Map(tasks.map(({ id, subject }) => [id, subject]))
    this.#waiting = collectWaiting(events)
    this.#runs = new Map(summarizeRuns(events).map((run) => [run.runId, run]))
  }

  write(events: Events): readonly ConversationItem[] {
    for (const event of events) {
      this.#add(event)
      this.#noticeTool(event)
    }
    if (!this.#isComplete) for (const call of this.#calling.values()) this.#addCalling(call)
    return this.#items
  }

  #add(event: TimelineEvent): void {
    const place = { sequence: sequenceOf(event), time: event.time }
    switch (event.type) {
      case 'agent.spawned':
        // Its message comes with its run.
        if (event.resumed) return this.#addNote(event)
        this.#spawnText = event.description
        this.#items.push(toSpawnMessage(event))
        return
      case 'follow-up.queued':
      case 'follow-up.deferred':
        this.#messages.set(event.followUp.followUpId, { ...event.followUp, author: authorOf(event) })
        if (this.#waiting.has(event)) this.#addUndelivered(event)
        else this.#addNote(event)
        return
      case 'follow-up.delivered':
        this.#addDelivered(event)
        return
      case 'run.message':
        this.#lastSaid = event.text
        this.#items.push({ ...place, type: 'from-agent', text: event.text })
        return
      case 'run.tool-called':
        this.#addToolCall(event)
        return
      case 'run.pushed':
        this.#items.push({ ...place, type: 'push', push: event })
        return
      case 'run.started': {
        const { runId, attempt, runner } = event
        this.#items.push({ ...place, type: 'run-start', runId, attempt, runner })
        return
      }
      case 'run.ended':
        this.#items.push(this.#toRunEnd(event))
        return
      default:
        this.#addNote(event)
    }
  }

  /** A call that has not ended is what the agent is doing now, unless its attempt has ended. */
  #noticeTool(event: TimelineEvent): void {
    if (event.type === 'run.tool-started') this.#calling.set(event.callId, event)
    else if (event.type === 'run.tool-called') this.#calling.delete(event.callId)
    else if (ENDS_CALLS.has(event.type)) this.#calling.clear()
  }

  #addCalling(event: EventOf<'run.tool-started'>): void {
    const { time, actor } = event
    const input = summarizeInput(event.input)
    const text = `Calls ${toolName(event.tool)}${input === '' ? '' : `: ${input}`}`
    const note = { text, tone: 'plain', isQuiet: false } as const
    const sequence = sequenceOf(event)
    this.#items.splice(findItemOf(this.#items, sequence) + 1, 0, {
      type: 'note',
      sequence,
      time,
      actor,
      note,
    })
  }

  #addNote(event: TimelineEvent): void {
    if (event.type === 'task.created' || event.type === 'task.updated')
      this.#subjects.set(event.task.id, event.task.subject)
    const note = describeEvent(event, (taskId) => this.#subjects.get(taskId) ?? '')
    if (note.isQuiet && !this.#isComplete) return
    const { time, actor } = event
    this.#items.push({ type: 'note', sequence: sequenceOf(event), time, actor, note })
  }

  #addToolCall(event: EventOf<'run.tool-called'>): void {
    const last = this.#items.at(-1)
    if (last?.type !== 'tools') {
      this.#items.push({ type: 'tools', sequence: sequenceOf(event), time: event.time, calls: [event] })
      return
    }
    const group: ToolGroup = { ...last, calls: [...last.calls, event] }
    this.#items[this.#items.length - 1] = group
  }

  #addUndelivered(event: Accepted): void {
    const { description, deliverAt } = event.followUp
    if (this.#isSpawnText(description)) return
    this.#items.push({
      type: 'to-agent',
      sequence: sequenceOf(event),
      time: event.time,
      author: authorOf(event),
      text: description,
      state: event.type === 'follow-up.deferred' ? 'deferred' : 'queued',
      deliverAt,
      isSpawn: false,
      isSteered: false,
    })
  }

  #addDelivered(event: EventOf<'follow-up.delivered'>): void {
    const message = this.#messages.get(event.followUpId)
    if (message !== undefined && this.#isSpawnText(message.description)) {
      // The description is already shown.
      this.#spawnText = undefined
      this.#addNote(event)
      return
    }
    this.#items.push({
      type: 'to-agent',
      sequence: sequenceOf(event),
      time: event.time,
      author: message?.author ?? '',
      text: message?.description,
      state: 'delivered',
      deliverAt: '',
      isSpawn: false,
      isSteered: event.steered,
    })
  }

  #isSpawnText(text: string): boolean {
    return text === this.#spawnText
  }

  #toRunEnd(event: EventOf<'run.ended'>): RunEnd {
    const run = this.#runs.get(event.runId)
    return {
      type: 'run-end',
      sequence: sequenceOf(event),
      time: event.time,
      runId: event.runId,
      reason: event.reason,
      error: event.error,
      startTime: run?.startTime ?? '',
      cost: run?.cost ?? 0,
      tokens: (run?.inputTokens ?? 0n) + (run?.outputTokens ?? 0n),
      message: event.message.trim() === this.#lastSaid.trim() ? '' : event.message,
    }
  }
}

function toSpawnMessage(event: EventOf<'agent.spawned'>): MessageToAgent {
  return {
    type: 'to-agent',
    sequence: sequenceOf(event),
    time: event.time,
    author: event.actor,
    text: event.description,
    state: 'delivered',
    deliverAt: '',
    isSpawn: true,
    isSteered: false,
  }
}

function authorOf({ origin, child, actor }: Accepted): string {
  if (origin === 'CHILD') return `Child ${child}`
  return origin === 'PLATFORM' ? 'Skein' : actor
}

/** Events of messages that are still pending. An id may reappear, after a removal or in another incarnation. */
function collectWaiting(events: Events): ReadonlySet<TimelineEvent> {
  const waiting = new Map<string, TimelineEvent>()
  for (const event of events) {
    switch (event.type) {
      case 'follow-up.queued':
      case 'follow-up.deferred':
        waiting.set(event.followUp.followUpId, event)
        break
      case 'follow-up.delivered':
      case 'follow-up.cleared':
      case 'follow-up.removed':
      case 'follow-up.dropped':
        waiting.delete(event.followUpId)
        break
      default:
    }
  }
  return new Set(waiting.values())
}

/** The item that shows an event, or the previous one if the event has none. */
export function findItemOf(items: readonly ConversationItem[], sequence: number): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    const item = items[middle]
    if (item !== undefined && item.sequence <= sequence) low = middle + 1
    else high = middle
  }
  return low - 1
}
