import { Type, type Static } from 'typebox'
import { Choice, Flag, Text } from '../../schemas/primitives.ts'
import { description, documentSchema, serverSet, type Kind } from '../kind.ts'

export const integration = {
  kind: 'integration',
  summary: 'A connection to another system: a webhook that gets every event, signed.',
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
    disabled: Flag('Whether sending is disabled.', { default: false }),
    keyVersion: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 1,
      description: 'Increase it to rotate: the response contains a new signing key.',
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
    disabled: false,
    keyVersion: 1,
  },
} satisfies Kind
export type IntegrationDocument = Static<typeof integration.schema>
