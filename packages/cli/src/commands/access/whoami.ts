import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { formatTable } from '../../output/table.ts'

export function registerWhoami(program: Command, context: CommandContext): void {
  const command = program.command('whoami').summary('show who you are and which server you are using')
  withExample(command, 'skein whoami').action(async () => {
    const { url } = await context.profile()
    const identity = await (await context.skein()).whoami()
    context.print({ url, ...identity }, () =>
      formatTable([
        ['server', url],
        ['tenant', identity.tenant.org],
        ['account', identity.account],
        ['role', identity.role],
        ['token', identity.token],
        ['expires', identity.expireTime || 'never'],
      ]),
    )
  })
}
