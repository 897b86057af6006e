import { Type, type Static } from 'typebox'
import { LABEL_NAME_PATTERN, MAX_LABELS } from '../../facts/labels.ts'
import { Choice, Flag, SizedText, Text } from '../../schemas/primitives.ts'
import {
  description,
  documentSchema,
  KeyVersion,
  Reference,
  RequiredReference,
  serverSet,
  type Kind,
} from '../kind.ts'
import { spawnedAgent, spawnedAgentExample } from './spawned-agent.ts'

const MAX_TEMPLATE_BYTES = 64 * 1024
const MAX_NAME_TEMPLATE_LENGTH = 1024
const HEADER_PATTERN = '^[A-Za-z0-9_-]{1,64}$'

/** How a sender proves who it is. All but the last three are what the named products and the standard send. */
const VERIFICATIONS = [
  'standard-webhooks',
  'github',
  'gitea',
  'gitlab',
  'sentry',
  'linear',
  'pagerduty',
  'hmac-sha256',
  'token',
  'bearer',
] as const

const Verification = Type.Object(
  {
    type: Choice(
      VERIFICATIONS,
      'How a sender proves who it is: as one of these products signs, or by an HMAC-SHA256 of the body, ' +
        'a token in a header, or a bearer key.',
      { default: 'standard-webhooks' },
    ),
    header: Text('hmac-sha256 and token: the header with the signature or the token.', {
      default: '',
      pattern: '^[A-Za-z0-9_-]{0,64}$',
    }),
    prefix: Text('hmac-sha256: what comes before the signature, such as sha256=.', {
      default: '',
      pattern: '^[!-~]{0,32}$',
    }),
    encoding: Choice(['hex', 'base64'], 'hmac-sha256: how the signature is written.', { default: 'hex' }),
    secret: Reference(
      'secret',
      'The secret with the key, if the sender chooses the key. Empty means the trigger’s own key.',
    ),
  },
  { additionalProperties: false, default: {}, description: 'How a request is recognised as genuine.' },
)

const NameTemplate = (text: string) => Text(text, { default: '', maxLength: MAX_NAME_TEMPLATE_LENGTH })

const Spawn = Type.Object(
  {
    agent: NameTemplate(
      'Template of the agent’s name. Empty means the trigger’s name and the id of the delivery.',
    ),
    description: SizedText('Template of the work. What comes from the request is quoted.', {
      minLength: 1,
      maxBytes: MAX_TEMPLATE_BYTES,
    }),
    ...spawnedAgent,
    labels: Type.Record(
      Type.String({ pattern: LABEL_NAME_PATTERN }),
      Type.String({ maxLength: MAX_NAME_TEMPLATE_LENGTH }),
      {
        additionalProperties: false,
        maxProperties: MAX_LABELS,
        default: {},
        description: 'Labels of the agent: name to template of the value.',
      },
    ),
  },
  { additionalProperties: false, description: 'Starts an agent.' },
)

const Send = Type.Object(
  {
    agent: Text('Template of the name of a root agent that the profile owns.', {
      minLength: 1,
      maxLength: MAX_NAME_TEMPLATE_LENGTH,
    }),
    message: SizedText('Template of the message. What comes from the request is quoted.', {
      minLength: 1,
      maxBytes: MAX_TEMPLATE_BYTES,
    }),
  },
  {
    additionalProperties: false,
    description: 'Sends a message to an agent. With spawn, the agent is started if it is not alive.',
  },
)

export const trigger = {
  kind: 'trigger',
  summary: 'Starts an agent, or sends a message to one, when another system sends a request.',
  inputFormat: 'INPUT_FORMAT_YAML',
  oneTimeSecret: 'key',
  schema: documentSchema('A trigger.', {
    description,
    verification: Verification,
    deliveryHeader: Text(
      'The header that is the same in every copy of a request. Empty means that of the product, or Idempotency-Key. ' +
        'Without it, requests with the same body are one.',
      { default: '', pattern: '^[A-Za-z0-9_-]{0,64}$' },
    ),
    headers: Type.Array(Type.String({ pattern: HEADER_PATTERN }), {
      default: [],
      maxItems: 16,
      uniqueItems: true,
      description:
        'Headers that the condition and the templates can use, in addition to the product’s own. All others are not stored.',
    }),
    condition: Text(
      'An expression in CEL over body, headers and delivery. If it is false, nothing happens.',
      {
        default: '',
        maxLength: 4096,
      },
    ),
    profile: RequiredReference('profile', 'The service profile that owns the agents.'),
    workspace: RequiredReference('workspace', 'The workspace of the agents.'),
    spawn: Type.Optional(Spawn),
    send: Type.Optional(Send),
    limits: Type.Object(
      {
        perMinute: Type.Integer({
          default: 60,
          minimum: 1,
          maximum: 600,
          description: 'How many requests it accepts in a minute.',
        }),
        agents: Type.Integer({
          default: 10,
          minimum: 1,
          maximum: 1000,
          description: 'How many agents that it started can be alive. Beyond that it starts none.',
        }),
      },
      { additionalProperties: false, default: {}, description: 'What it accepts at most.' },
    ),
    paused: Flag('Whether requests are only recorded. They can be redelivered later, one by one.', {
      default: false,
    }),
    keyVersion: KeyVersion(
      'Increase it to rotate: the response contains a new key. The previous one is valid for 24 more hours.',
    ),
    key: Type.Optional(
      Text(
        'The key that senders use, only in the response to the write that created it. None with a secret.',
        serverSet,
      ),
    ),
  }),
  example: {
    description: 'One agent for each issue of the shop that is labelled “agent”.',
    verification: { type: 'github', header: '', prefix: '', encoding: 'hex', secret: '' },
    deliveryHeader: '',
    headers: [],
    condition:
      "headers['x-github-event'] == 'issues' && body.action == 'labeled' && body.label.name == 'agent'",
    profile: 'night-shift',
    workspace: 'shop',
    spawn: {
      agent: '',
      description:
        'Fix the problem that this ticket describes. Push a branch.\n{{ body.issue.title }}\n{{ body.issue.body }}',
      ...spawnedAgentExample,
      labels: { ticket: '{{ body.issue.number }}' },
    },
    send: {
      agent: 'ticket-{{ body.issue.number }}',
      message: 'The ticket has changed.\n{{ body.issue.body }}',
    },
    limits: { perMinute: 60, agents: 10 },
    paused: false,
    keyVersion: 1,
  },
} satisfies Kind
export type TriggerDocument = Static<typeof trigger.schema>
