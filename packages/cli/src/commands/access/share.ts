import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { parseSpan } from '../../command-line/time-spans.ts'
import { UsageError } from '../../command-line/usage-error.ts'

interface ShareOptions {
  readonly expiresIn: string
  readonly description?: string
}

export function registerShare(program: Command, context: CommandContext): void {
  const command = program
    .command('share')
    .summary('create a link that shows one agent, read-only, without an account')
    .description(
      'The link is shown once, on standard output. `skein get share-link` lists existing links, and ' +
        '`skein delete share-link <name>` revokes one.',
    )
    .argument('<agent>', 'workspace/agent/child')
    .option('--expires-in <span>', 'how long the link works, such as 12h, or never for no limit', '7d')
    .option('--description <text>', 'who it is for')
  withExample(command, 'skein share shop/release --expires-in 24h').action(
    async (name: string, { expiresIn, description }: ShareOptions) => {
      const agent = await context.agent(name)
      // The actual agent: its owner, and the dashboard's address.
      const { agentId, dashboardUrl } = await agent.status()
      const { workspace, account, ownerProvider } = agentId
      const link = `${agentId.agent.at(-1) ?? 'agent'}-${randomBytes(4).toString('hex')}`.slice(-63)
      const expireTime =
        expiresIn === 'never' ? undefined : new Date(Date.now() + parseSpan(expiresIn)).toISOString()
      const { document } = await (
        await context.skein()
      ).catalog.put(
        'share-link',
        link,
        {
          workspace,
          agent: [...agentId.agent],
          account,
          ownerProvider,
          ...(description !== undefined && { description }),
          ...(expireTime !== undefined && { expireTime }),
        },
        { ifGeneration: '0' },
      )
      const url = shareUrl(dashboardUrl, document)
      context.print({ agent: agent.name, name: link, url, expireTime: expireTime ?? '' }, () => url)
      context.note(
        `Anyone with this link can see ${agent.name}${expireTime === undefined ? '' : ` until ${expireTime}`}. ` +
          `Revoke it with: skein delete share-link ${link}`,
      )
    },
  )
}

function shareUrl(dashboardUrl: string, document: object): string {
  const key: unknown = Reflect.get(document, 'key')
  if (typeof key !== 'string') {
    // A retry was answered from the record, which contains no secret.
    throw new UsageError('The response with the link was lost.', 'Run the command again.')
  }
  return `${new URL(dashboardUrl).origin}/share#${key}`
}
