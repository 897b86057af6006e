import { Type } from 'typebox'
import { TEAM_ROLES } from '../../facts/roles.ts'
import { Account, Provider } from '../../schemas/identity.ts'
import { Choice, inline } from '../../schemas/primitives.ts'
import { description, documentSchema, type Kind } from '../kind.ts'

const Member = Type.Object(
  {
    account: Account('The account.'),
    ownerProvider: inline(Provider, {
      default: 'PROVIDER_UNSPECIFIED',
      description: 'The account’s provider; unspecified means that of the creator.',
    }),
    role: Choice(
      TEAM_ROLES,
      'In the team’s workspaces: a `viewer` reads, a `member` also drives its own agents, a `lead` everyone’s. Never more than the key’s own role, except that a `member` who is a lead drives the whole team’s agents.',
      { default: 'member' },
    ),
  },
  { additionalProperties: false },
)

export const team = {
  kind: 'team',
  summary: 'People who share workspaces that others cannot see. A workspace names its team.',
  inputFormat: 'INPUT_FORMAT_YAML',
  schema: documentSchema('A team.', {
    description,
    members: Type.Array(Member, {
      default: [],
      maxItems: 2000,
      description: 'Who belongs to it. Admins see every team without being a member.',
    }),
  }),
  example: {
    description: 'Everyone who works on payments.',
    members: [{ account: 'ada', ownerProvider: 'PROVIDER_CODEHOST_OAUTH', role: 'lead' }],
  },
} satisfies Kind
