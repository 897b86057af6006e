import { Type, type Static } from 'typebox'
import { Text } from '../../schemas/primitives.ts'
import { description, documentSchema, neverRead, type Kind } from '../kind.ts'

export const secret = {
  kind: 'secret',
  summary: 'A value that environments, repositories and backends can use and that cannot be read back.',
  inputFormat: 'INPUT_FORMAT_YAML',
  schema: documentSchema('A secret.', {
    description,
    value: Type.Optional(
      Text('The value. Required when the secret is created; omit it later to keep it.', {
        ...neverRead,
        minLength: 1,
        maxLength: 65_536,
      }),
    ),
  }),
  example: { description: 'The package mirror.', value: 'correct horse battery staple' },
} satisfies Kind
export type SecretDocument = Static<typeof secret.schema>
