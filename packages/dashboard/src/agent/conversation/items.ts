import type {
  AgentId,
  RunEndReason,
  TimelineEventRunEnded,
  TimelineEventRunPushed,
  TimelineEventRunToolCalled,
} from '@skein/client'
import type { Note } from './notes.ts'

interface Place {
  /** Of the event that the item stands for, or of the first of several. */
  readonly sequence: number
  readonly time: string
}

/** What somebody told the agent. */
export interface MessageToAgent extends Place {
  readonly type: 'to-agent'
  readonly author: string
  /** Undefined when the event that brought the text is not loaded. */
  readonly text: string | undefined
  readonly state: 'delivered' | 'queued' | 'deferred'
  /** When a deferred one joins the queue. */
  readonly deliverAt: string
  /** The work it was spawned for. */
  readonly isSpawn: boolean
}

export interface MessageFromAgent extends Place {
  readonly type: 'from-agent'
  readonly text: string
}

/** Calls in a row, with nothing said in between. */
export interface ToolGroup extends Place {
  readonly type: 'tools'
  readonly calls: readonly TimelineEventRunToolCalled[]
}

export interface RunStart extends Place {
  readonly type: 'run-start'
  readonly runId: string
  readonly attempt: number
  readonly runner: string
}

export interface RunEnd extends Place {
  readonly type: 'run-end'
  readonly runId: string
  readonly reason: RunEndReason
  /** Empty when its beginning is not loaded. */
  readonly startTime: string
  readonly cost: number
  readonly tokens: bigint
  /** What went wrong; with an empty message when nothing did. */
  readonly error: TimelineEventRunEnded['error']
  /** What it said at the end, unless that was its last message anyway. */
  readonly message: string
}

export interface Push extends Place {
  readonly type: 'push'
  readonly push: TimelineEventRunPushed
}

export interface NoteItem extends Place {
  readonly type: 'note'
  readonly actor: string
  readonly note: Note
}

export type ConversationItem =
  MessageToAgent | MessageFromAgent | ToolGroup | RunStart | RunEnd | Push | NoteItem

/** Another agent that a note speaks of. */
export type NoteAgent = AgentId
