import { Type, type Static } from 'typebox'
import { PHASES } from '../facts/phases.ts'
import { AgentId } from './identity.ts'
import { Choice, Flag, Int64, MaybeTimestamp, response, Text, Timestamp } from './primitives.ts'
import { labels } from './settings.ts'
import { Task } from './task.ts'

export const Phase = Choice(PHASES, 'The state of the agent. The last three are terminal.', {
  $id: 'Phase',
})
export type Phase = Static<typeof Phase>

const entryFields = {
  agentId: AgentId,
  phase: Phase,
  cost: Type.Number({ description: 'What the agent has spent so far, in US dollars.' }),
  progressAt: MaybeTimestamp('When the agent last showed progress.'),
  repos: Type.Array(Type.String(), { description: 'The repositories of its workspace.' }),
  dashboardUrl: Text('The agent’s page in the dashboard.'),
  inputTokens: Int64('Tokens read by the model, cached ones included.'),
  cachedInputTokens: Int64('Input tokens that came from the provider’s cache.'),
  outputTokens: Int64('Tokens written by the model.'),
  totalTokens: Int64('Input and output together.'),
  needsInput: Text('What the agent asks or waits for; empty if it needs nothing.'),
  pendingReason: Text(
    'Why a pending agent is not running, such as `waiting for 2 children` or `no runner in pool lab`; ' +
      'empty if it is not pending. Computed for each response; a runner that comes or goes does not count as a change.',
  ),
  pendingUntil: MaybeTimestamp('The earliest time a pending agent continues; empty if unknown.'),
}

export const AgentEntry = response('AgentEntry', entryFields, {
  description: 'One line of the list of agents.',
})
export type AgentEntry = Static<typeof AgentEntry>

export const StopTurnMode = Choice(
  ['STOP_TURN_MODE_UNSPECIFIED', 'STOP_TURN_MODE_INTERRUPT', 'STOP_TURN_MODE_KILL'],
  'INTERRUPT lets the turn report its cost and answer; KILL ends it immediately. Unspecified means INTERRUPT.',
  { $id: 'StopTurnMode' },
)
export type StopTurnMode = Static<typeof StopTurnMode>

export const RunState = Choice(
  ['RUN_STATE_UNSPECIFIED', 'RUN_STATE_QUEUED', 'RUN_STATE_RUNNING', 'RUN_STATE_ENDED'],
  'The state of the run.',
  { $id: 'RunState' },
)

export const RunEndReason = Choice(
  ['', 'finished', 'asked', 'rested', 'interrupted', 'killed', 'failed', 'lost', 'limit'],
  'Why the run ended; empty until it has.',
  { $id: 'RunEndReason' },
)
export type RunEndReason = Static<typeof RunEndReason>

export const Run = response(
  'Run',
  {
    runId: Int64('The run’s number. It keeps growing across all incarnations of the agent.'),
    state: RunState,
    startTime: MaybeTimestamp('When a runner started it.'),
    endTime: MaybeTimestamp('When it ended.'),
    attempt: Type.Integer({
      description: 'The number of the attempt. After a lost lease there is another one.',
    }),
    stopMode: StopTurnMode,
    endReason: RunEndReason,
  },
  { description: 'One turn of an agent.' },
)
export type Run = Static<typeof Run>

export const FollowUp = response(
  'FollowUp',
  {
    followUpId: Text('The message’s id: chosen by the caller, or a generated UUID.'),
    description: Text('The message.'),
    state: Choice(['DEFERRED', 'QUEUED'], 'DEFERRED until deliverAt, QUEUED until a run takes it.'),
    deliverAt: MaybeTimestamp('When a deferred message joins the queue.'),
    createTime: Timestamp('When it was accepted.'),
  },
  { description: 'A message that the agent has not received yet.' },
)
export type FollowUp = Static<typeof FollowUp>

export const Failure = response(undefined, {
  code: Text('The class of the failure; empty if there is none.'),
  message: Text('What went wrong.'),
})

const PushedBranch = response(
  'PushedBranch',
  {
    repo: Text('The repository.'),
    branch: Text('The branch.'),
    commit: Text('The commit that it pointed to after the last push.'),
  },
  { description: 'A branch that the agent has pushed.' },
)

export const AgentStatus = response(
  'AgentStatus',
  {
    ...entryFields,
    runCount: Int64('The number of the current or last run. A stop must specify it.'),
    run: Run,
    description: Text('The work the agent was given.'),
    expectedOutput: Text('The expected result.'),
    persona: Text('The active persona.'),
    backend: Text('The backend that executes the turns.'),
    model: Text('The active model.'),
    reasoningEffort: Text('The active effort.'),
    serviceTier: Text('The active tier.'),
    fastMode: Flag('Whether fast mode is on.'),
    outputSchema: Text('The active output schema.'),
    output: Text('The last run’s structured output, as a JSON string.'),
    lastMessage: Text('What the agent said last.'),
    tasks: Type.Array(Task, { description: 'The checklist.' }),
    openTaskIds: Type.Array(Type.String(), {
      description:
        'The tasks that keep the agent from completing. A pending task that is not among them is inactive: ' +
        'its condition is not met.',
    }),
    followUps: Type.Array(FollowUp, {
      description:
        'The first 20 messages that are not delivered yet, oldest first, with the first 1,024 characters of their texts. `/v1/agent/queue/list` has them all.',
    }),
    followUpCount: Type.Optional(
      Type.Integer({
        description:
          'Number of undelivered messages. Only present if followUps does not contain all of them.',
      }),
    ),
    labels,
    maxCost: Type.Number({
      description: 'The budget of the agent and its subtree, in US dollars; 0 means none.',
    }),
    treeCost: Type.Number({ description: 'What the agent and its subtree have spent, in US dollars.' }),
    error: Failure,
    branches: Type.Array(PushedBranch, {
      description: 'What it has pushed, the newest push first; the last eight branches.',
    }),
    createTime: Timestamp('When this incarnation started.'),
    endTime: MaybeTimestamp('When it ended.'),
    build: Text('The build that the runners of its pool run.'),
  },
  { description: 'Everything about one agent.' },
)
export type AgentStatus = Static<typeof AgentStatus>

export const WaitReason = Choice(
  [
    'WAIT_REASON_UNSPECIFIED',
    'WAIT_REASON_COMPLETED',
    'WAIT_REASON_FAILED',
    'WAIT_REASON_CANCELED',
    'WAIT_REASON_WAITING',
  ],
  'What ended the wait; unspecified if the caller’s preferred time ran out first.',
  { $id: 'WaitReason' },
)
export type WaitReason = Static<typeof WaitReason>
