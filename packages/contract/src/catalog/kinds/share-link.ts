import { Type, type Static } from 'typebox'
import { MAX_DEPTH } from '../../facts/names.ts'
import { Account, Provider } from '../../schemas/identity.ts'
import { Flag, Name, Text, Timestamp, inline } from '../../schemas/primitives.ts'
import { description, documentSchema, RequiredReference, serverSet, type Kind } from '../kind.ts'

export const shareLink = {
  kind: 'share-link',
  summary: 'A link that shows one agent, read-only, to people without an account.',
  inputFormat: 'INPUT_FORMAT_YAML',
  oneTimeSecret: 'key',
  schema: documentSchema('A share link.', {
    description,
    workspace: RequiredReference('workspace', 'The agent’s workspace.'),
    agent: Type.Array(Name('One element of the path.'), {
      minItems: 1,
      maxItems: MAX_DEPTH,
      description: 'The agent’s path from root to leaf.',
    }),
    account: Account('The agent’s owner.'),
    ownerProvider: inline(Provider, {
      default: 'PROVIDER_UNSPECIFIED',
      description: 'The owner’s provider; unspecified means that of the creator.',
    }),
    expireTime: Type.Optional(Timestamp('When the link stops working. Default: never.')),
    revoked: Flag('Whether the link is revoked. Cannot be undone.', { default: false }),
    incarnation: Type.Optional(
      Type.Integer({
        ...serverSet,
        minimum: 1,
        description:
          'The incarnation of the agent that the link shows: the current one when the link was created or pointed at the agent, or else the first. A later agent with the same name is not shown.',
      }),
    ),
    keyId: Type.Optional(Text('The public part of the link’s key.', serverSet)),
    key: Type.Optional(Text('The link’s key, only in the response to the write that created it.', serverSet)),
  }),
  example: {
    description: 'For the customer.',
    workspace: 'shop',
    agent: ['fix-checkout'],
    account: 'ada',
    ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
    revoked: false,
  },
} satisfies Kind
export type ShareLinkDocument = Static<typeof shareLink.schema>
