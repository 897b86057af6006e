import { Type, type Static } from 'typebox'
import { Duration, Flag, Name, Text, Timestamp, inline } from '../../schemas/primitives.ts'
import { Account, Provider, Role } from '../../schemas/identity.ts'
import { REFERENCE } from '../../facts/schema-marks.ts'
import { description, documentSchema, KeyVersion, serverSet, type Kind } from '../kind.ts'

export const token = {
  kind: 'token',
  summary: 'An API key: who it acts for, what it may do and until when.',
  inputFormat: 'INPUT_FORMAT_YAML',
  oneTimeSecret: 'key',
  schema: documentSchema('A token.', {
    description,
    account: Account('The account that the key acts for.'),
    ownerProvider: inline(Provider, {
      default: 'PROVIDER_UNSPECIFIED',
      description: 'The account’s provider; unspecified means that of the creator.',
    }),
    role: inline(Role),
    pools: Type.Array(Name('A pool.', { [REFERENCE]: 'pool' }), {
      default: [],
      maxItems: 64,
      uniqueItems: true,
      description: 'Role runner only: the pools that the runner serves.',
    }),
    allTenants: Flag(
      'Role runner, granted by operators only: serves pools with these names in every tenant.',
      {
        default: false,
      },
    ),
    expireTime: Type.Optional(Timestamp('When the key stops working. Default: never.')),
    revoked: Flag('Whether every key of the token is revoked. Cannot be undone.', { default: false }),
    keyVersion: KeyVersion('Increase it to rotate: the response contains a new key.'),
    overlap: Duration('How long the previous key keeps working after a rotation.', { default: '0s' }),
    keyId: Type.Optional(Text('The public part of the newest key.', serverSet)),
    key: Type.Optional(Text('The key itself, only in the response to the write that created it.', serverSet)),
  }),
  example: {
    description: 'The CI job.',
    account: 'ci',
    ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
    role: 'member',
    pools: [],
    allTenants: false,
    expireTime: '2027-11-15T00:00:00.000Z',
    revoked: false,
    keyVersion: 1,
    overlap: '0s',
  },
} satisfies Kind
export type TokenDocument = Static<typeof token.schema>
