import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { formatCost } from '../../output/facts.ts'
import { parseDollars } from '../../command-line/parse-dollars.ts'

export function registerBudget(program: Command, context: CommandContext): void {
  const command = program
    .command('budget')
    .summary('show or change what an agent may spend')
    .description(
      'The budget covers the agent and all its descendants. Raising it resumes agents that had run out.',
    )
    .argument('<agent>', 'workspace/agent/child')
    .argument('[dollars]', 'the new budget; 0 removes it', parseDollars)
  withExample(command, 'skein budget shop/release 10').action(async (name: string, dollars?: number) => {
    const agent = await context.agent(name)
    const resumed = dollars === undefined ? 0 : (await agent.setBudget(dollars)).resumed
    const { maxCost, treeCost } = await agent.status()
    context.print({ agent: agent.name, maxCost, treeCost, resumed }, () => {
      const limit = maxCost === 0 ? 'no budget' : `a budget of ${formatCost(maxCost)}`
      const woken = resumed > 0 ? ` Resumed ${resumed === 1 ? '1 agent' : `${resumed} agents`}.` : ''
      return `${agent.name} has ${limit} and has spent ${formatCost(treeCost)}.${woken}`
    })
  })
}
