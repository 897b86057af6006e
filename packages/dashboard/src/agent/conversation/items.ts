import type {
  AgentId,
  RunEndReason,
  TimelineEventRunEnded,
  TimelineEventRunPushed,
  TimelineEventRunToolCalled,
} from '@skein/client'
import type { Note } from './notes.ts'

interface Place {
  /** Sequence of the item's event, or of the first of several. */
  readonly sequence: number
  readonly time: string
}

/** A message to the agent. */
export interface MessageToAgent extends Place {
  readonly type: 'to-agent'
  readonly author: string
  /** Undefined if the event with the text is not loaded. */
  readonly text: string | undefined
  readonly state: 'delivered' | 'queued' | 'deferred'
  /** When a deferred message joins the queue. */
  readonly deliverAt: string
  /** Whether this is the description it was spawned with. */
  readonly isSpawn: boolean
  /** Received in the middle of a run. */
  readonly isSteered: boolean
}

export interface MessageFromAgent extends Place {
  readonly type: 'from-agent'
  readonly text: string
}

/** Consecutive calls without a message in between. */
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
  /** Empty if its start is not loaded. */
  readonly startTime: string
  readonly cost: number
  readonly tokens: bigint
  /** With an empty message if nothing went wrong. */
  readonly error: TimelineEventRunEnded['error']
  /** The final message, unless it repeats the last one. */
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

/** Another agent mentioned in a note. */
export type NoteAgent = AgentId
