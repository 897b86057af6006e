import { SkeinApiError } from '@skein/client'
import type { Command } from 'commander'
import { confirm } from '../ask.ts'
import { messageFrom } from '../message-text.ts'
import type { CommandContext } from '../command-context.ts'
import { withExample } from '../examples.ts'
import { addSettings, readSettings, type SettingsOptions } from '../settings-options.ts'
import { parseDeliverAt } from '../time-spans.ts'
import { UsageError } from '../usage-error.ts'

interface SendOptions extends SettingsOptions {
  readonly preempt?: true
  readonly steer?: true
  readonly at?: string
  readonly in?: string
  readonly id?: string
  readonly continue?: true
}

export function registerSend(program: Command, context: CommandContext): void {
  const command = program
    .command('send')
    .summary('write to an agent')
    .description('Queues a message. It waits for the run in progress, and wakes an agent at rest.')
    .argument('<agent>', 'workspace/agent/child')
    .argument('[message...]', 'the message; - or nothing reads standard input')
    .option('--preempt', 'discard what is queued, interrupt the run and be next')
    .option('--steer', 'tell it in the run in progress, if there is one')
    .option('--at <time>', 'deliver at this time (RFC 3339), at most 30 days ahead')
    .option('--in <span>', 'deliver after this time, such as 2h30m')
    .option('--continue', 'if it has ended, start it again with its conversation and files')
    .option('--id <id>', 'your own id for the message: sending it twice queues it once')
  addSettings(command)
  withExample(command, 'skein send shop/release "Also cover refunds."').action(
    async (name: string, words: readonly string[], options: SendOptions) => {
      const agent = await context.agent(name)
      const deliverAt = parseDeliverAt(options, Date.now())
      if (options.continue && deliverAt !== undefined) {
        throw new UsageError('--continue starts the agent at once.', 'Leave out --at and --in.')
      }
      const settings = await readSettings(options)
      const message = await messageFrom(context.io, words)
      try {
        const { followUpId } = await agent.send(message, {
          ...settings,
          ...(options.preempt && { preempt: true }),
          ...(options.steer && { steer: true }),
          ...(deliverAt !== undefined && { deliverAt }),
          ...(options.id !== undefined && { id: options.id }),
        })
        context.print({ agent: agent.name, followUpId, deliverAt: deliverAt ?? '' }, () =>
          deliverAt === undefined
            ? `Queued for ${agent.name} as ${followUpId}.`
            : `Will be delivered to ${agent.name} at ${deliverAt} as ${followUpId}.`,
        )
      } catch (error) {
        if (!hasEnded(error) || deliverAt !== undefined) throw error
        if (!options.continue && !(await wantsToContinue(context, agent.name))) throw error
        const { followUpId } = await agent.continue(message, {
          ...settings,
          ...(options.id !== undefined && { idempotencyKey: `continue:${options.id}` }),
        })
        context.print(
          { agent: agent.name, followUpId, deliverAt: '' },
          () => `Continued ${agent.name}. See what it does with: skein logs --follow ${agent.name}`,
        )
      }
    },
  )
}

function hasEnded(error: unknown): boolean {
  return error instanceof SkeinApiError && error.reason === 'AGENT_NOT_RUNNING'
}

async function wantsToContinue({ io, isJson }: CommandContext, name: string): Promise<boolean> {
  return io.canAsk && !isJson && confirm(io, `${name} has ended. Continue it with this message?`)
}
