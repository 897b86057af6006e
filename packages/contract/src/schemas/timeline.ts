import { Type, type Static, type TObject, type TProperties } from 'typebox'
import { AgentId } from './identity.ts'
import { Failure, FollowUp, Phase, RunEndReason, StopTurnMode } from './agent.ts'
import { Choice, Flag, Int64, response, Text, Timestamp } from './primitives.ts'
import { Task } from './task.ts'

const followUpId = { followUpId: Text('The message.') }
const runId = { runId: Int64('The run.') }

export const MessageOrigin = Choice(
  ['CALLER', 'CHILD', 'PLATFORM'],
  'Who a message is from: a caller of the API, a child that reports to its parent, or the service itself.',
  { $id: 'MessageOrigin' },
)
export type MessageOrigin = Static<typeof MessageOrigin>

const message = {
  followUp: FollowUp,
  origin: MessageOrigin,
  child: Text('The name of the child that the message is from; empty unless origin is CHILD.'),
}

const toolCall = {
  ...runId,
  callId: Text('Identifies the call: the same in the events for its start and its end.'),
  tool: Text('The tool.'),
}

/**
 * All events of an agent with their fields. Append-only: recorded timelines are replayed against the current code,
 * so a type keeps its meaning and its fields.
 */
const EVENT_FIELDS = {
  'agent.spawned': {
    description: Text('The work it was given.'),
    incarnation: Int64('The incarnation.'),
    resumed: Flag('Whether it continues the conversation of the previous incarnation.'),
  },
  'agent.phase-changed': { from: Phase, to: Phase, needsInput: Text('Its question, if it is now waiting.') },
  'agent.settings-changed': {
    persona: Text('The persona now active.'),
    model: Text('The model now active.'),
    reasoningEffort: Text('The effort now active.'),
    serviceTier: Text('The tier now active.'),
    fastMode: Flag('Whether fast mode is now on.'),
  },
  'agent.budget-changed': {
    maxCost: Type.Number({
      description: 'The new budget of the agent and its subtree, in US dollars; 0 means no limit.',
    }),
  },
  'agent.budget-reached': {
    percent: Type.Integer({ description: 'How much of the budget is spent: 80 or 100.' }),
    maxCost: Type.Number({ description: 'The budget of the agent and its subtree, in US dollars.' }),
    spent: Type.Number({ description: 'What they have spent of it, in US dollars.' }),
  },
  'follow-up.queued': message,
  'follow-up.deferred': message,
  'follow-up.due': followUpId,
  'follow-up.delivered': {
    ...followUpId,
    ...runId,
    steered: Flag('Whether the message was delivered during the run, not at its start.'),
  },
  'follow-up.cleared': followUpId,
  'follow-up.removed': followUpId,
  'follow-up.dropped': { ...followUpId, cause: Text('Why it will not be delivered.') },
  'run.queued': runId,
  'run.started': {
    ...runId,
    attempt: Type.Integer({ description: 'The attempt.' }),
    runner: Text('The runner.'),
  },
  'run.progressed': { ...runId, message: Text('What the agent says it is doing.') },
  'run.message': { ...runId, text: Text('What the agent said.') },
  'run.tool-started': { ...toolCall, input: Text('The beginning of its input.') },
  'run.tool-called': {
    ...toolCall,
    input: Text('Its input.'),
    output: Text('Its output.'),
    failed: Flag('Whether the call failed; the output then says why.'),
  },
  'run.pushed': {
    ...runId,
    repo: Text('The repository.'),
    ref: Text('The ref.'),
    commit: Text('The commit it now points to.'),
    files: Type.Array(Type.String(), { description: 'Files that the push changed.' }),
  },
  'run.metered': {
    ...runId,
    cost: Type.Number({ description: 'What was spent since the last report, in US dollars.' }),
    inputTokens: Int64('Tokens read.'),
    cachedInputTokens: Int64('Of those, tokens from a cache.'),
    outputTokens: Int64('Tokens written.'),
    model: Text('The model that was called; empty if the runner does not say.'),
  },
  'run.stop-requested': { ...runId, mode: StopTurnMode },
  'run.attempt-lost': {
    ...runId,
    attempt: Type.Integer({ description: 'The attempt whose lease expired.' }),
  },
  'run.attempt-failed': {
    ...runId,
    attempt: Type.Integer({ description: 'The attempt that failed; another one follows.' }),
    message: Text('What went wrong.'),
  },
  'run.saved': runId,
  'run.paused': {
    ...runId,
    attempt: Type.Integer({
      description: 'The attempt that was paused; the next one continues its session.',
    }),
    resumeTime: Timestamp('The earliest time the run continues.'),
    message: Text('Why it paused.'),
  },
  'run.ended': {
    ...runId,
    reason: RunEndReason,
    message: Text('What the agent said at the end.'),
    error: Failure,
  },
  'task.created': { task: Task },
  'task.updated': { task: Task },
  'task.removed': { taskId: Text('The task.') },
  'task.activated': { taskId: Text('The task.'), ...runId },
  'children.awaited': {
    children: Type.Array(Type.String(), {
      description: 'Names of the children whose end the agent waits for.',
    }),
  },
  'child.spawned': { child: AgentId },
  'child.phase-changed': { child: AgentId, phase: Phase },
} as const satisfies Record<string, TProperties>

export type EventType = keyof typeof EVENT_FIELDS

export const EVENT_TYPES: readonly string[] = Object.keys(EVENT_FIELDS)

const envelope = {
  sequence: Int64('Numbers the agent’s events from 1, without gaps.'),
  agentId: AgentId,
  time: Timestamp('When it happened.'),
  actor: Text('Who caused it: an account, the runner’s token, or the service itself.'),
}

/** The union's parts are named TimelineEventRunEnded and so on. */
function eventName(type: string): string {
  const words = type.split(/[.-]/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
  return `TimelineEvent${words.join('')}`
}

const eventSchemas = Object.entries(EVENT_FIELDS).map(([type, fields]) =>
  response(eventName(type), { type: Type.Literal(type), ...envelope, ...fields }),
)

interface EventEnvelope {
  sequence: string
  agentId: AgentId
  time: string
  actor: string
}

/** Keeps the link between a type and its fields, which Static<> of the union below would lose. */
export type TimelineEvent = {
  [Name in EventType]: { type: Name } & EventEnvelope & Static<TObject<(typeof EVENT_FIELDS)[Name]>>
}[EventType]

export const TimelineEvent = Type.Unsafe<TimelineEvent>(
  Type.Union(eventSchemas, {
    $id: 'TimelineEvent',
    description: 'One thing that happened to an agent. Immutable.',
  }),
)
