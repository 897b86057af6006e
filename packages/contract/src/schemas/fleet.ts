import { Type, type Static } from 'typebox'
import { AgentEntry, AgentStatus } from './agent.ts'
import { Int64, MaybeTimestamp, response, Text, Timestamp } from './primitives.ts'

const { runCount, persona, model, labels, maxCost, createTime, endTime } = AgentStatus.properties

/** Lists contain only the beginning of long texts. */
export const SHORT_TEXT_LENGTH = 200
export const ERROR_TEXT_LENGTH = 500

export const FleetEntry = response(
  'FleetEntry',
  {
    ...AgentEntry.properties,
    createTime,
    endTime,
    labels,
    persona,
    model,
    maxCost,
    budgetReached: Type.Integer({
      description: 'How much of the budget has been spent, as far as people are told: 0, 80 or 100 percent.',
    }),
    runCount,
    errorMessage: Text('What went wrong, up to 500 characters; empty if nothing did.'),
    openTasks: Type.Integer({ description: 'How many tasks keep the agent from completing.' }),
    totalTasks: Type.Integer({
      description: 'Number of open and completed tasks, without deleted and inactive ones.',
    }),
    description: Text('The first 200 characters of the work it was given.'),
    nextDeliverAt: MaybeTimestamp('When the next deferred message is due; empty if none is deferred.'),
    lastMessage: Text('The first 200 characters of what it said last.'),
  },
  { description: 'One agent of a fleet.' },
)
export type FleetEntry = Static<typeof FleetEntry>

export const FleetChange = response(
  'FleetChange',
  {
    entry: FleetEntry,
    isListed: Type.Boolean({ description: 'False if the agent no longer matches the filter.' }),
    cursor: Text('Where to continue after this change; also the id of the event.'),
  },
  { description: 'The newest state of an agent that has changed.' },
)
export type FleetChange = Static<typeof FleetChange>

export const HourOfSpend = response(
  'HourOfSpend',
  {
    time: Timestamp('Start of the hour.'),
    cost: Type.Number({ description: 'US dollars.' }),
    inputTokens: Int64('Tokens read by models, cached ones included.'),
    outputTokens: Int64('Tokens written by models.'),
  },
  { description: 'What was spent in one hour.' },
)
export type HourOfSpend = Static<typeof HourOfSpend>
