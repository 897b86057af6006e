import type { Command } from 'commander'
import { flatten, readTree } from '../../agent-tree.ts'
import { confirm } from '../../ask.ts'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'

export function registerKill(program: Command, context: CommandContext): void {
  const command = program
    .command('kill')
    .summary('end an agent and all its descendants')
    .argument('<agent>', 'workspace/agent/child')
    .option('-y, --yes', 'do not ask')
  withExample(command, 'skein kill shop/release').action(
    async (name: string, { yes }: { readonly yes?: true }) => {
      const agent = await context.agent(name)
      await agent.status()
      const below = flatten(await readTree(await context.skein(), { below: agent.name }))
      const names = [agent.name, ...below.map((node) => node.name)]
      context.note(`This ends ${names.length === 1 ? names[0] : `${names.length} agents:`}`)
      if (names.length > 1) for (const doomed of names) context.note(`  ${doomed}`)
      if (!yes && !(await confirm(context.io, 'Kill?'))) {
        context.note('Nothing was killed.')
        return
      }
      await agent.kill()
      context.print({ agent: agent.name, killed: names }, () => `Killed ${names.join(', ')}.`)
    },
  )
}
