import type { FollowUp } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { shorten } from '../../output/clean-text.ts'
import { formatTable } from '../../output/table.ts'
import { exitCodeOf } from '../../exit-codes.ts'

export function registerQueue(program: Command, context: CommandContext): void {
  const queue = program.command('queue').summary('messages that an agent has not received yet')
  registerList(queue, context)
  registerRemove(queue, context)
  registerClear(queue, context)
}

function registerList(queue: Command, context: CommandContext): void {
  const command = queue
    .command('ls')
    .summary('list undelivered messages, oldest first')
    .argument('<agent>', 'workspace/agent/child')
  withExample(command, 'skein queue ls shop/release').action(async (name: string) => {
    const agent = await context.agent(name)
    const followUps: FollowUp[] = []
    for await (const followUp of agent.followUps()) followUps.push(followUp)
    context.print({ agent: agent.name, followUps }, () => {
      if (followUps.length === 0) return 'Nothing is queued.'
      return formatTable([
        ['ID', 'STATE', 'DELIVER AT', 'MESSAGE'].map((title) => context.io.paint('dim', title)),
        ...followUps.map(({ followUpId, state, deliverAt, description }) => [
          followUpId,
          state.toLowerCase(),
          deliverAt,
          shorten(description, 80),
        ]),
      ])
    })
  })
}

function registerRemove(queue: Command, context: CommandContext): void {
  const command = queue
    .command('rm')
    .summary('remove a message')
    .argument('<agent>', 'workspace/agent/child')
    .argument('<id>', 'the id that send and queue ls show')
  withExample(command, 'skein queue rm shop/release deploy-note').action(async (name: string, id: string) => {
    const agent = await context.agent(name)
    const { removed } = await agent.removeFollowUp(id)
    context.print({ agent: agent.name, followUpId: id, removed }, () =>
      removed ? `Took back ${id}.` : `${id} was not there to take back: delivered, removed or never sent.`,
    )
    if (!removed) context.exitCode = exitCodeOf('notFound')
  })
}

function registerClear(queue: Command, context: CommandContext): void {
  const command = queue
    .command('clear')
    .summary('discard all queued messages; deferred ones stay')
    .argument('<agent>', 'workspace/agent/child')
  withExample(command, 'skein queue clear shop/release').action(async (name: string) => {
    const agent = await context.agent(name)
    const { cleared } = await agent.clearFollowUps()
    context.print({ agent: agent.name, cleared }, () => `Discarded ${cleared}.`)
  })
}
