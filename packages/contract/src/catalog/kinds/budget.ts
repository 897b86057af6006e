import { Type, type Static } from 'typebox'
import { Provider } from '../../schemas/identity.ts'
import { Choice, inline, Text } from '../../schemas/primitives.ts'
import { description, documentSchema, Reference, type Kind } from '../kind.ts'

export const budget = {
  kind: 'budget',
  summary: 'What a team, an account, a label or the whole tenant may spend on models in a calendar month.',
  inputFormat: 'INPUT_FORMAT_YAML',
  schema: documentSchema('A budget.', {
    description,
    amount: Type.Number({
      minimum: 0.01,
      maximum: 100_000_000,
      description: 'US dollars in each calendar month.',
    }),
    timeZone: Text('The IANA time zone in which the month begins and ends.', {
      default: 'UTC',
      maxLength: 64,
    }),
    mode: Choice(
      ['hard', 'soft'],
      'People are notified at 50, 80 and 100 %. `hard`: calls that exceed it are also refused, and the agents wait until there is room again.',
      { default: 'hard' },
    ),
    team: Reference(
      'team',
      'Only what is spent in the team’s workspaces. Set at most one of team, account and label; with none of them, the budget is for everything.',
    ),
    account: Text('Only what the agents of this account spend.', { default: '', maxLength: 255 }),
    ownerProvider: inline(Provider, {
      default: 'PROVIDER_UNSPECIFIED',
      description: 'The account’s provider; unspecified means that of the creator.',
    }),
    label: Text('Only what agents with this label spend, such as `project=checkout`.', {
      default: '',
      maxLength: 319,
    }),
  }),
  example: {
    description: 'Payments may spend $500 a month.',
    amount: 500,
    timeZone: 'Europe/Berlin',
    mode: 'hard',
    team: 'payments',
    account: '',
    ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
    label: '',
  },
} satisfies Kind
export type BudgetDocument = Static<typeof budget.schema>
