import { SkeinApiError, type Agent } from '@skein/client'
import type { Command } from 'commander'
import { confirm } from '../../ask.ts'
import { messageFrom } from '../../message-text.ts'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { exitCodeForPhase } from '../../exit-codes.ts'
import { followAgent } from '../../follow-agent.ts'
import { addSettings, readSettings, type SettingsOptions } from '../../command-line/settings-options.ts'
import { parseDeliverAt } from '../../command-line/time-spans.ts'
import { UsageError } from '../../command-line/usage-error.ts'

interface SendOptions extends SettingsOptions {
  readonly preempt?: true
  readonly steer?: true
  readonly at?: string
  readonly in?: string
  readonly id?: string
  readonly continue?: true
  readonly follow?: true
}

export function registerSend(program: Command, context: CommandContext): void {
  const command = program
    .command('send')
    .summary('send a message to an agent')
    .description('Queues a message. It is delivered after the run in progress, and wakes an idle agent.')
    .argument('<agent>', 'workspace/agent/child')
    .argument('[message...]', 'the message; - or nothing reads standard input')
    .option('--preempt', 'discard queued messages, interrupt the run and deliver this one next')
    .option('--steer', 'deliver it during the run in progress, if there is one')
    .option('--at <time>', 'deliver at this time (RFC 3339), at most 30 days ahead')
    .option('--in <span>', 'deliver after this time, such as 2h30m')
    .option('--continue', 'if it has ended, continue it with its conversation and files')
    .option('--follow', 'show what the agent does until it waits or ends')
    .option('--id <id>', 'your own id for the message: sending it twice queues it once')
  addSettings(command)
  withExample(command, 'skein send shop/release "Also cover refunds."').action(
    async (name: string, words: readonly string[], options: SendOptions) => {
      const agent = await context.agent(name)
      const deliverAt = parseDeliverAt(options, Date.now())
      requireNow(options, deliverAt)
      // Read before sending, so that nothing the message causes is missed.
      const after = options.follow ? await lastSequenceOf(agent) : undefined
      const sent = await send(context, agent, words, options, deliverAt)
      const { followUpId, isContinued } = sent
      const text = describeSent(agent.name, sent)
      if (after === undefined) {
        context.print({ agent: agent.name, followUpId, deliverAt: deliverAt ?? '' }, () => text)
        return
      }
      context.note(text)
      const phase = await followAgent(context, agent, isContinued ? { isNew: true } : { after })
      context.exitCode = exitCodeForPhase(phase)
    },
  )
}

/** A deferred message cannot be started or followed now. */
function requireNow({ continue: isContinued, follow }: SendOptions, deliverAt: string | undefined): void {
  if (deliverAt === undefined) return
  const hint = 'Leave out --at and --in.'
  if (isContinued) throw new UsageError('--continue starts the agent immediately.', hint)
  if (follow) throw new UsageError('--follow shows what happens now, but the message is for later.', hint)
}

interface Sent {
  readonly followUpId: string
  readonly deliverAt: string | undefined
  /** Whether the agent had ended and was resumed. */
  readonly isContinued: boolean
}

async function send(
  context: CommandContext,
  agent: Agent,
  words: readonly string[],
  options: SendOptions,
  deliverAt: string | undefined,
): Promise<Sent> {
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
    return { followUpId, deliverAt, isContinued: false }
  } catch (error) {
    if (!hasEnded(error) || deliverAt !== undefined) throw error
    if (!options.continue && !(await wantsToContinue(context, agent.name))) throw error
    const { followUpId } = await agent.continue(message, {
      ...settings,
      ...(options.id !== undefined && { idempotencyKey: `continue:${options.id}` }),
    })
    return { followUpId, deliverAt, isContinued: true }
  }
}

function describeSent(name: string, { followUpId, deliverAt, isContinued }: Sent): string {
  if (isContinued) return `Continued ${name}. See what it does with: skein logs --follow ${name}`
  if (deliverAt !== undefined) return `Will be delivered to ${name} at ${deliverAt} as ${followUpId}.`
  return `Queued for ${name} as ${followUpId}.`
}

async function lastSequenceOf(agent: Agent): Promise<string> {
  return (await agent.readTimeline({ pageSize: 1 })).lastSequence
}

function hasEnded(error: unknown): boolean {
  return error instanceof SkeinApiError && error.reason === 'AGENT_NOT_RUNNING'
}

async function wantsToContinue({ io, isJson }: CommandContext, name: string): Promise<boolean> {
  return io.canAsk && !isJson && confirm(io, `${name} has ended. Continue it with this message?`)
}
