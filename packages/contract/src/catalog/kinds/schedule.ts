import { Type, type Static } from 'typebox'
import { labels, MAX_DESCRIPTION_BYTES } from '../../schemas/settings.ts'
import { Choice, Duration, Flag, inline, Name, SizedText, Text, Timestamp } from '../../schemas/primitives.ts'
import { description, documentSchema, RequiredReference, type Kind } from '../kind.ts'
import { spawnedAgent, spawnedAgentExample } from './spawned-agent.ts'

/** The fields that say when it fires, also for a schedule that does not exist yet. */
export const timingFields = {
  cron: Type.Optional(
    Text(
      'When it fires, as five fields: minute, hour, day of the month, month, day of the week. ' +
        'If neither day is *, one of them must match.',
      { maxLength: 255 },
    ),
  ),
  every: Type.Optional(
    Duration('Instead of cron: the interval, counted from startTime or from when the schedule was created.'),
  ),
  timeZone: Text('The IANA time zone of the cron expression.', { default: 'UTC', maxLength: 64 }),
  jitter: Duration('Each firing is delayed by up to this long, at most until the next.', { default: '0s' }),
  startTime: Type.Optional(Timestamp('It does not fire before this time. Default: it starts at once.')),
  endTime: Type.Optional(Timestamp('It does not fire after this time. Default: never.')),
}

const Spawn = Type.Object(
  {
    agent: Text(
      'The agent’s name, with {time} for the time of the firing. Empty means the schedule’s name and the time. ' +
        'Without {time}, each firing starts the same agent again.',
      { default: '', maxLength: 63, pattern: '^[a-z0-9{}-]*$' },
    ),
    description: SizedText('The work.', { minLength: 1, maxBytes: MAX_DESCRIPTION_BYTES }),
    ...spawnedAgent,
    labels: inline(labels, { default: {} }),
  },
  { additionalProperties: false, description: 'Each firing starts an agent.' },
)

const Send = Type.Object(
  {
    agent: Name('The name of a root agent that the profile owns.'),
    message: SizedText('The message.', { minLength: 1, maxBytes: MAX_DESCRIPTION_BYTES }),
  },
  {
    additionalProperties: false,
    description:
      'Each firing sends a message to one agent. With spawn, the agent is started if it is not alive.',
  },
)

export const schedule = {
  kind: 'schedule',
  summary: 'Starts an agent, or sends a message to one, at certain times.',
  inputFormat: 'INPUT_FORMAT_YAML',
  schema: documentSchema('A schedule.', {
    description,
    ...timingFields,
    paused: Flag('Whether it does not fire. Firings in the meantime are not caught up on.', {
      default: false,
    }),
    overlap: Choice(
      ['skip', 'queue', 'replace', 'allow'],
      'If the agent of the firing before has not ended: skip this one, wait for the agent, kill it, or start another.',
      { default: 'skip' },
    ),
    catchUp: Type.Object(
      {
        policy: Choice(
          ['none', 'latest', 'all'],
          'What happens to firings that were missed because Skein was down.',
          { default: 'latest' },
        ),
        window: Duration('Firings missed longer ago are dropped. At most 604800s.', { default: '86400s' }),
        max: Type.Integer({
          default: 10,
          minimum: 1,
          maximum: 100,
          description: 'Policy all: at most this many, the newest.',
        }),
      },
      { additionalProperties: false, default: {}, description: 'After an outage.' },
    ),
    profile: RequiredReference('profile', 'The service profile that owns the agents.'),
    workspace: RequiredReference('workspace', 'The workspace of the agents.'),
    spawn: Type.Optional(Spawn),
    send: Type.Optional(Send),
  }),
  example: {
    description: 'Updates the dependencies of the shop every night.',
    cron: '30 2 * * *',
    timeZone: 'Europe/Berlin',
    jitter: '600s',
    paused: false,
    overlap: 'skip',
    catchUp: { policy: 'latest', window: '86400s', max: 10 },
    profile: 'night-shift',
    workspace: 'shop',
    spawn: {
      agent: 'deps-{time}',
      description: 'Update the dependencies. Run the tests. Push a branch.',
      ...spawnedAgentExample,
      labels: { team: 'shop' },
    },
  },
} satisfies Kind
export type ScheduleDocument = Static<typeof schedule.schema>
