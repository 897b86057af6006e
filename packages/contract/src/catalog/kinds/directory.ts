import { Type, type Static } from 'typebox'
import { Choice, Duration, Flag, Text } from '../../schemas/primitives.ts'
import { description, documentSchema, KeyVersion, serverSet, type Kind } from '../kind.ts'

export const directory = {
  kind: 'directory',
  summary:
    'Lets the identity provider of the same name send over SCIM who joins, who leaves and who is in which group.',
  inputFormat: 'INPUT_FORMAT_YAML',
  oneTimeSecret: 'key',
  schema: documentSchema(
    'A directory. It has the name of the identity provider that its people sign in with.',
    {
      description,
      userAttribute: Choice(
        ['externalId', 'userName'],
        'What recognises a user of the directory when a person signs in.',
        { default: 'externalId' },
      ),
      claim: Text(
        'The claim that must have the same value when the person signs in, such as `sub` with Okta and `oid` with Entra ID. ' +
          'An `email` counts only if the provider has verified it.',
        { default: 'sub', pattern: '^[A-Za-z][A-Za-z0-9_.:/-]{0,127}$' },
      ),
      groupsClaim: Text(
        'Which claim the directory’s groups replace: in the roles and teams of the identity provider, its values are the names of the person’s groups.',
        { default: 'groups', pattern: '^[A-Za-z][A-Za-z0-9_.:/-]{0,127}$' },
      ),
      onlyListed: Flag('Whether only people in the directory can sign in.', { default: true }),
      leaversAgents: Choice(
        ['stop', 'hand-over'],
        'What happens to the agents of people who leave: all are killed, or those in a team’s workspaces continue and are handed over to its leads.',
        { default: 'stop' },
      ),
      keyVersion: KeyVersion('Increase it to rotate: the response contains a new key.'),
      overlap: Duration('How long the previous key keeps working after a rotation.', { default: '0s' }),
      keyId: Type.Optional(Text('The public part of the newest key.', serverSet)),
      key: Type.Optional(
        Text(
          'The key for SCIM and nothing else, only in the response to the write that created it.',
          serverSet,
        ),
      ),
    },
  ),
  example: {
    description: 'Everyone who is assigned to Skein in Okta.',
    userAttribute: 'externalId',
    claim: 'sub',
    groupsClaim: 'groups',
    onlyListed: true,
    leaversAgents: 'stop',
    keyVersion: 1,
    overlap: '0s',
  },
} satisfies Kind
export type DirectoryDocument = Static<typeof directory.schema>
