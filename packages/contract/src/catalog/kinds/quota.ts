import { Type, type Static } from 'typebox'
import { description, documentSchema, type Kind } from '../kind.ts'

/** Upper bound of every limit. */
export const MAX_QUOTA = 100_000_000
/** Upper bound for bytes of messages. */
export const MAX_QUOTA_BYTES = 1_000_000_000_000

const limit = (text: string, amount: number, maximum = MAX_QUOTA) =>
  Type.Integer({ minimum: 0, maximum, default: amount, description: text })

export const quota = {
  kind: 'quota',
  summary: 'The limits of the tenant, within its ceiling. The one named default applies.',
  inputFormat: 'INPUT_FORMAT_YAML',
  schema: documentSchema('A quota.', {
    description,
    liveAgents: limit('Agents that are not terminal.', 100_000),
    childrenPerAgent: limit('Live children of one agent.', 1000),
    queuedFollowUpsPerAgent: limit('Undelivered messages of one agent.', 1000),
    queuedBytesPerAgent: limit('Bytes of the undelivered messages of one agent.', 4_194_304, MAX_QUOTA_BYTES),
    queuedBytes: limit(
      'Bytes of the undelivered messages of all agents together.',
      268_435_456,
      MAX_QUOTA_BYTES,
    ),
    tasksPerAgent: limit('Tasks of one agent that are not deleted.', 500),
    taskBytesPerAgent: limit('Bytes of the checklist of one agent.', 1_048_576),
    runsInFlight: limit('Runs that are executing.', 1000),
    schedules: limit('Schedules.', 1000),
    triggers: limit('Triggers. Each keeps the bodies of its newest thousand requests.', 100),
  }),
  example: {
    description: 'A small team.',
    liveAgents: 200,
    childrenPerAgent: 20,
    queuedFollowUpsPerAgent: 100,
    queuedBytesPerAgent: 1_048_576,
    queuedBytes: 67_108_864,
    tasksPerAgent: 100,
    taskBytesPerAgent: 262_144,
    runsInFlight: 16,
    schedules: 50,
    triggers: 20,
  },
} satisfies Kind
export type QuotaDocument = Static<typeof quota.schema>
