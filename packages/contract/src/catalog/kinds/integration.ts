import { Type, type Static } from 'typebox'
import { MAIL_ADDRESS_PATTERN, MAX_MAIL_ADDRESS_LENGTH } from '../../facts/mail-address.ts'
import { MAYBE_NAME_PATTERN, NAME_PATTERN } from '../../facts/names.ts'
import { PEOPLE_TYPES, TOPICS } from '../../facts/notifications.ts'
import { REFERENCE } from '../../facts/schema-marks.ts'
import { Choice, Flag, inline, Text } from '../../schemas/primitives.ts'
import { labels } from '../../schemas/settings.ts'
import { description, documentSchema, KeyVersion, Reference, serverSet, type Kind } from '../kind.ts'

const HeaderName = Type.String({ pattern: '^(?!__proto__$)[A-Za-z0-9_-]{1,64}$' })

export const integration = {
  kind: 'integration',
  summary:
    'A connection to another system: a webhook that gets events, signed and in order, or a chat or e-mail address that gets messages for people.',
  inputFormat: 'INPUT_FORMAT_YAML',
  oneTimeSecret: 'signingKey',
  schema: documentSchema('An integration.', {
    description,
    type: Choice(
      ['webhook', ...PEOPLE_TYPES],
      'What the integration is: `webhook` sends every event to a program; the others notify people. `slack` is also for Mattermost and other chats that accept its format.',
      { default: 'webhook' },
    ),
    url: Text('Where events are sent; for `ntfy`, the URL of the topic. Not for `email`.', {
      default: '',
      pattern: '^(https?://[^\\s]+)?$',
      maxLength: 2048,
    }),
    urlSecret: Reference(
      'secret',
      'The secret that contains the URL, instead of `url`: who knows the URL of a chat can write to it.',
    ),
    to: Type.Array(Type.String({ pattern: MAIL_ADDRESS_PATTERN, maxLength: MAX_MAIL_ADDRESS_LENGTH }), {
      default: [],
      maxItems: 10,
      description: 'For `email`: who gets the messages.',
    }),
    notify: Type.Array(Choice(TOPICS, 'A topic.'), {
      default: [],
      maxItems: TOPICS.length,
      description:
        'For chat and e-mail: what to notify about: an agent asks a `question`, has `finished` or `failed`, a `budget` is at 80 or 100 %, or an integration was disabled. Default: all.',
    }),
    children: Flag(
      'For chat and e-mail: whether to include child agents. By default, only their parents hear about them.',
      { default: false },
    ),
    groupSeconds: Type.Integer({
      minimum: 0,
      maximum: 3600,
      default: 60,
      description: 'For chat and e-mail: how many seconds to collect notices for one message.',
    }),
    events: Type.Array(Type.String({ minLength: 1, maxLength: 64, pattern: '^[a-z*][a-z.*-]*$' }), {
      default: ['*'],
      minItems: 1,
      maxItems: 64,
      description:
        'For `webhook`: event types to send; run.* means all that start with run., and * means all.',
    }),
    workspaces: Type.Array(Type.String({ pattern: NAME_PATTERN, [REFERENCE]: 'workspace' }), {
      default: [],
      maxItems: 64,
      description: 'Only events of agents in these workspaces. Default: in all.',
    }),
    labels: inline(labels, {
      default: {},
      description: 'Only events of agents with all of these labels.',
    }),
    tree: Text('Only events of this root agent and its descendants. Default: of all.', {
      default: '',
      pattern: MAYBE_NAME_PATTERN,
    }),
    account: Text('Only events of agents of this owner. Default: of all.', { default: '', maxLength: 255 }),
    headers: Type.Record(HeaderName, Type.String({ pattern: NAME_PATTERN, [REFERENCE]: 'secret' }), {
      additionalProperties: false,
      maxProperties: 16,
      default: {},
      description: 'Headers to send as well, whose values come from secrets: header to secret name.',
    }),
    disabled: Flag('Whether sending is disabled. Events that happen in the meantime are not sent later.', {
      default: false,
    }),
    keyVersion: KeyVersion(
      'Increase it to rotate: the response contains a new signing key. For 24 hours, requests are signed with both.',
    ),
    signingKey: Type.Optional(
      Text('The signing key of a webhook, only in the response to the write that created it.', serverSet),
    ),
  }),
  example: {
    description: 'Notifies the chat room.',
    type: 'webhook',
    url: 'https://hooks.example.com/skein',
    urlSecret: '',
    to: [],
    notify: [],
    children: false,
    groupSeconds: 60,
    events: ['run.ended', 'agent.*'],
    workspaces: ['shop'],
    labels: { team: 'payments' },
    tree: '',
    account: '',
    headers: { Authorization: 'hooks-token' },
    disabled: false,
    keyVersion: 1,
  },
} satisfies Kind
export type IntegrationDocument = Static<typeof integration.schema>
