import { Type, type Static } from 'typebox'
import { description, documentSchema, type Kind } from '../kind.ts'

/** No limit can be higher. */
export const MAX_QUOTA = 100_000_000

const limit = (text: string, amount: number) =>
  Type.Integer({ minimum: 0, maximum: MAX_QUOTA, default: amount, description: text })

export const quota = {
  kind: 'quota',
  summary: 'The limits of the tenant, below its ceiling. The one named default is in force.',
  inputFormat: 'INPUT_FORMAT_YAML',
  schema: documentSchema('A quota.', {
    description,
    liveAgents: limit('Agents that are not terminal.', 100_000),
    childrenPerAgent: limit('Live children of one agent.', 1000),
    queuedFollowUpsPerAgent: limit('Undelivered messages of one agent.', 1000),
    queuedBytesPerAgent: limit('Bytes of the undelivered messages of one agent.', 4_194_304),
    tasksPerAgent: limit('Tasks of one agent that are not deleted.', 500),
    taskBytesPerAgent: limit('Bytes of the checklist of one agent.', 1_048_576),
    runsInFlight: limit('Runs that are executing.', 1000),
  }),
  example: {
    description: 'A small team.',
    liveAgents: 200,
    childrenPerAgent: 20,
    queuedFollowUpsPerAgent: 100,
    queuedBytesPerAgent: 1_048_576,
    tasksPerAgent: 100,
    taskBytesPerAgent: 262_144,
    runsInFlight: 16,
  },
} satisfies Kind
export type QuotaDocument = Static<typeof quota.schema>
