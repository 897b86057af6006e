import { Type } from 'typebox'
import { LABEL_NAME_PATTERN } from '../facts/labels.ts'
import { Provider, TenantInput } from '../schemas/identity.ts'
import {
  Choice,
  inline,
  Int64,
  MaybeTimestamp,
  request,
  response,
  Text,
  Timestamp,
} from '../schemas/primitives.ts'
import { defineOperation } from './operation.ts'
import { tenantQuery } from './catalog.ts'

const counts = {
  cost: Type.Number({ description: 'US dollars.' }),
  inputTokens: Int64('Tokens read by models, cached ones included.'),
  cachedInputTokens: Int64('Of those, tokens from a cache.'),
  outputTokens: Int64('Tokens written by models.'),
}

const UsageGroup = response(
  'UsageGroup',
  {
    name: Text('The workspace, team, persona, model, provider/account or value of the label; may be empty.'),
    ...counts,
    times: Type.Array(response(undefined, counts), { description: 'One entry for each of the times.' }),
  },
  { description: 'What one group used.' },
)

export const readUsage = defineOperation({
  id: 'readUsage',
  method: 'POST',
  path: '/v1/usage',
  tag: 'agents',
  summary: 'Read what models cost',
  description:
    'Cost and tokens, hour by hour for 24 hours or day by day for 7 or 30 days, in UTC, grouped. Covers only workspaces that the caller can see. Not available to the key of a run.',
  permission: 'agent.read',
  body: request('ReadUsageRequest', {
    period: Type.Optional(Choice(['24h', '7d', '30d'], 'How far back. Default: 24h.')),
    groupBy: Type.Optional(
      Choice(
        ['workspace', 'team', 'persona', 'model', 'account', 'label'],
        'What is added up together. Default: workspace.',
      ),
    ),
    label: Type.Optional(
      Text('With groupBy label: the label’s name. Agents without it are not included.', {
        pattern: LABEL_NAME_PATTERN,
      }),
    ),
    tenant: Type.Optional(TenantInput),
  }),
  response: response('ReadUsageResponse', {
    times: Type.Array(Timestamp('Start of an hour or day.'), { description: 'Oldest first, without gaps.' }),
    groups: Type.Array(UsageGroup, { description: 'The 20 that cost most, highest first.' }),
    others: Type.Optional(
      inline(UsageGroup, { description: 'All other groups together, if there are more.' }),
    ),
    otherGroups: Type.Integer({
      description: 'How many those are. Values of a label beyond 500 in an hour count as one.',
    }),
    total: response(undefined, counts, { description: 'Everything together.' }),
  }),
  reasons: ['TENANT_NOT_FOUND'],
  example: {
    request: { period: '24h', groupBy: 'model' },
    response: {
      times: ['2026-11-15T09:00:00.000Z'],
      groups: [
        {
          name: 'claude-sonnet-5',
          cost: 0.42,
          inputTokens: '120344',
          cachedInputTokens: '90112',
          outputTokens: '5120',
          times: [{ cost: 0.42, inputTokens: '120344', cachedInputTokens: '90112', outputTokens: '5120' }],
        },
      ],
      otherGroups: 0,
      total: { cost: 0.42, inputTokens: '120344', cachedInputTokens: '90112', outputTokens: '5120' },
    },
  },
})

const BudgetEntry = response(
  'BudgetEntry',
  {
    name: Text('The budget.'),
    mode: Choice(['hard', 'soft'], 'Whether calls are refused once it is used up.'),
    amount: Type.Number({ description: 'US dollars in each calendar month.' }),
    spent: Type.Number({ description: 'What was spent in the current month, in US dollars.' }),
    reserved: Type.Number({ description: 'The least that calls in flight will cost, in US dollars.' }),
    timeZone: Text('The time zone of its months.'),
    startTime: Timestamp('When the current month began.'),
    endTime: MaybeTimestamp('When the next month begins.'),
    team: Text('The team whose workspaces it is for; empty if it is for something else.'),
    account: Text('The account that it is for; empty if it is for something else.'),
    ownerProvider: Provider,
    label: Text('The label that it is for, such as project=checkout; empty if it is for something else.'),
  },
  { description: 'A monthly budget and how much of it is used.' },
)

export const listBudgets = defineOperation({
  id: 'listBudgets',
  method: 'GET',
  path: '/v1/budgets',
  tag: 'agents',
  summary: 'List monthly budgets and how much of each is used',
  description:
    'By name. Callers who do not see all workspaces get only the budgets of their teams. A budget is written like any other document, as kind budget.',
  permission: 'catalog.read',
  query: request(undefined, tenantQuery),
  response: response('ListBudgetsResponse', { budgets: Type.Array(BudgetEntry) }),
  reasons: ['TENANT_NOT_FOUND'],
  example: {
    response: {
      budgets: [
        {
          name: 'payments',
          mode: 'hard',
          amount: 500,
          spent: 211.4,
          reserved: 0.12,
          timeZone: 'Europe/Berlin',
          startTime: '2026-10-31T23:00:00.000Z',
          endTime: '2026-11-30T23:00:00.000Z',
          team: 'payments',
          account: '',
          ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
          label: '',
        },
      ],
    },
  },
})
