import { Type, type Static } from 'typebox'
import { Account, Provider } from '../../schemas/identity.ts'
import { Choice, inline, Text } from '../../schemas/primitives.ts'
import { description, documentSchema, serverSet, type Kind } from '../kind.ts'

export const workloadIdentity = {
  kind: 'workload-identity',
  summary:
    'Lets a program, such as a CI job, exchange the token of its platform for a key that is valid for 15 minutes.',
  inputFormat: 'INPUT_FORMAT_YAML',
  schema: documentSchema('A workload identity.', {
    description,
    issuer: Text('The platform’s issuer URL, exactly as it is in its tokens.', {
      pattern: '^https?://[^\\s?#]+$',
      maxLength: 1024,
    }),
    audience: Text('What the token must be issued for. Choose something that only your tenant uses.', {
      minLength: 1,
      maxLength: 255,
      pattern: '^[\\u0021-\\u007e]+$',
    }),
    conditions: Type.Array(
      Type.Object(
        {
          claim: Text('The claim. Use dots for nested objects.', { minLength: 1, maxLength: 128 }),
          value: Text('The value, or one of the values if the claim is a list.', {
            minLength: 1,
            maxLength: 255,
          }),
        },
        { additionalProperties: false },
      ),
      {
        minItems: 1,
        maxItems: 16,
        description:
          'The claims that the token must have. All must match exactly. Platforms issue tokens to everyone, so require at least your own repository or service account.',
      },
    ),
    account: Account('The account that the program acts for.'),
    ownerProvider: inline(Provider, {
      default: 'PROVIDER_UNSPECIFIED',
      description: 'The account’s provider; unspecified means that of the creator.',
    }),
    role: Choice(['viewer', 'member', 'admin'], 'What the program may do.'),
    keyId: Type.Optional(
      Text(
        'The key that the program’s keys stand for. It has no secret, so it cannot be used itself.',
        serverSet,
      ),
    ),
  }),
  example: {
    description: 'The release job of the shop.',
    issuer: 'https://token.actions.githubusercontent.com',
    audience: 'https://skein.example.com',
    conditions: [
      { claim: 'repository', value: 'acme/shop' },
      { claim: 'ref', value: 'refs/heads/main' },
    ],
    account: 'release-job',
    ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
    role: 'member',
  },
} satisfies Kind
export type WorkloadIdentityDocument = Static<typeof workloadIdentity.schema>
