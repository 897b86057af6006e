import { Type, type Static } from 'typebox'
import { MAYBE_NAME_PATTERN, NAME_PATTERN } from '../../facts/names.ts'
import { REFERENCE } from '../../facts/schema-marks.ts'
import { Choice, Flag, inline, Text } from '../../schemas/primitives.ts'
import { labels } from '../../schemas/settings.ts'
import { description, documentSchema, serverSet, type Kind } from '../kind.ts'

const HeaderName = Type.String({ pattern: '^(?!__proto__$)[A-Za-z0-9_-]{1,64}$' })

export const integration = {
  kind: 'integration',
  summary: 'A connection to another system: a webhook that gets events, signed and in order.',
  inputFormat: 'INPUT_FORMAT_YAML',
  oneTimeSecret: 'signingKey',
  schema: documentSchema('An integration.', {
    description,
    type: Choice(['webhook'], 'What the integration is.', { default: 'webhook' }),
    url: Text('Where events are sent.', { pattern: '^https?://[^\\s]+$', maxLength: 2048 }),
    events: Type.Array(Type.String({ minLength: 1, maxLength: 64, pattern: '^[a-z*][a-z.*-]*$' }), {
      default: ['*'],
      minItems: 1,
      maxItems: 64,
      description: 'Event types to send; run.* means all that start with run., and * means all.',
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
    disabled: Flag('Whether sending is disabled. Events that happen meanwhile are not sent later.', {
      default: false,
    }),
    keyVersion: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 1,
      description:
        'Increase it to rotate: the response contains a new signing key. For 24 hours, requests are signed with both.',
    }),
    signingKey: Type.Optional(
      Text('The webhook signing key, only in the response to the write that created it.', serverSet),
    ),
  }),
  example: {
    description: 'Notifies the chat room.',
    type: 'webhook',
    url: 'https://hooks.example.com/skein',
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
