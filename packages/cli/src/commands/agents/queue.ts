import type { FollowUp } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { shorten } from '../../output/clean-text.ts'
import { formatTable } from '../../output/table.ts'
import { exitCodeOf } from '../../exit-codes.ts'

export function registerQueue(program: Command, context: CommandContext): void {
  const queue = program.command('queue').summary('undelivered messages of an agent')
  registerList(queue, context)
  registerRemove(queue, context)
  registerClear(queue, context)
}

/** A command about the messages of one agent. */
function aboutAgent(queue: Command, name: string, summary: string, example: string): Command {
  const command = queue.command(name).summary(summary).argument('<agent>', 'workspace/agent/child')
  return withExample(command, `skein queue ${name} ${example}`)
}

function registerList(queue: Command, context: CommandContext): void {
  const command = aboutAgent(queue, 'ls', 'list undelivered messages, oldest first', 'shop/release')
  command.action(async (name: string) => {
    const agent = await context.agent(name)
    const followUps: FollowUp[] = []
    for await (const followUp of agent.followUps()) followUps.push(followUp)
    context.print({ agent: agent.name, followUps }, () => {
      if (followUps.length === 0) return 'No undelivered messages.'
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
  const command = aboutAgent(queue, 'rm', 'remove a message', 'shop/release deploy-note')
  command.argument('<id>', 'the id that send and queue ls show').action(async (name: string, id: string) => {
    const agent = await context.agent(name)
    const { removed } = await agent.removeFollowUp(id)
    context.print({ agent: agent.name, followUpId: id, removed }, () =>
      removed ? `Removed ${id}.` : `${id} is not in the queue: it was delivered, removed or never sent.`,
    )
    if (!removed) context.exitCode = exitCodeOf('notFound')
  })
}

function registerClear(queue: Command, context: CommandContext): void {
  const command = aboutAgent(
    queue,
    'clear',
    'discard all queued messages; deferred ones stay',
    'shop/release',
  )
  command.action(async (name: string) => {
    const agent = await context.agent(name)
    const { cleared } = await agent.clearFollowUps()
    context.print({ agent: agent.name, cleared }, () => `Discarded ${cleared}.`)
  })
}
