import { usageToCsv, type BudgetEntry, type ReadUsageResponse, type UsageOptions } from '@skein/client'
import { Option, type Command } from 'commander'
import type { CommandContext } from '../command-line/command-context.ts'
import { withExample } from '../command-line/examples.ts'
import type { Io } from '../io.ts'
import { formatCost } from '../output/facts.ts'
import { formatTable } from '../output/table.ts'

interface Options {
  readonly period: NonNullable<UsageOptions['period']>
  readonly by: NonNullable<UsageOptions['groupBy']>
  readonly label?: string
  readonly csv?: true
}

export function registerUsage(program: Command, context: CommandContext): void {
  const command = program
    .command('usage')
    .summary('show the cost of models, and monthly budgets')
    .description(
      'Adds up cost and tokens of the workspaces that you see, in whole hours (24h) or days (7d, 30d) in UTC.',
    )
    .addOption(new Option('--period <period>', 'how far back').choices(['24h', '7d', '30d']).default('24h'))
    .addOption(
      new Option('--by <what>', 'what to group by')
        .choices(['workspace', 'team', 'persona', 'model', 'account', 'label'])
        .default('workspace'),
    )
    .option('--label <name>', 'the label to group by, with --by label')
    .option('--csv', 'print each hour or day as CSV')
  withExample(command, 'skein usage --period 30d --by team').action(
    async ({ period, by, label, csv }: Options) => {
      const skein = await context.skein()
      const usage = await skein.usage({ period, groupBy: by, ...(label !== undefined && { label }) })
      // The terminal ends the last line.
      if (csv) return context.io.print(usageToCsv(usage).replace(/\r\n$/, ''))
      const { budgets } = await skein.listBudgets()
      return context.print({ usage, budgets }, () =>
        [formatUsage(context.io, by, usage), formatBudgets(context.io, budgets)].filter(Boolean).join('\n\n'),
      )
    },
  )
}

function formatUsage(io: Io, by: string, { groups, others, otherGroups, total }: ReadUsageResponse): string {
  if (groups.length === 0) return 'No usage in this period.'
  const rows = [
    ...groups.map((group) => ({ ...group, name: group.name || '-' })),
    ...(others ? [{ ...others, name: `${otherGroups} more` }] : []),
    { ...total, name: 'total' },
  ]
  return formatTable([
    [by.toUpperCase(), 'COST', 'TOKENS IN', 'CACHED', 'TOKENS OUT'].map((title) => io.paint('dim', title)),
    ...rows.map(({ name, cost, inputTokens, cachedInputTokens, outputTokens }) => [
      name,
      formatCost(cost),
      inputTokens,
      cachedInputTokens,
      outputTokens,
    ]),
  ])
}

function formatBudgets(io: Io, budgets: readonly BudgetEntry[]): string {
  if (budgets.length === 0) return ''
  return formatTable([
    ['BUDGET', 'FOR', 'SPENT', 'OF', 'USED', 'UNTIL'].map((title) => io.paint('dim', title)),
    ...budgets.map((budget) => [
      budget.name,
      [budget.team && `team ${budget.team}`, budget.account, budget.label].find(Boolean) ?? 'everything',
      formatCost(budget.spent),
      formatCost(budget.amount),
      paintShare(io, budget),
      budget.endTime.slice(0, 16).replace('T', ' '),
    ]),
  ])
}

function paintShare(io: Io, { spent, amount, mode }: BudgetEntry): string {
  const share = spent / amount
  const text = `${Math.floor(share * 100)} %${mode === 'soft' ? ' (soft)' : ''}`
  return share >= 1 ? io.paint('red', text) : share >= 0.8 ? io.paint('yellow', text) : text
}
