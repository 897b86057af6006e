import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { formatTable } from '../../output/table.ts'

export function registerWhoami(program: Command, context: CommandContext): void {
  const command = program.command('whoami').summary('show who you are and which server you are using')
  withExample(command, 'skein whoami').action(async () => {
    const { url, keySource } = await context.profile()
    const skein = await context.skein()
    const identity = await skein.whoami()
    const { permissions } = await skein.permissions()
    const isPerson = permissions.includes('session.open')
    const links = isPerson ? (await skein.linkedAccounts()).links : []
    context.print({ url, keySource, ...identity, links }, () =>
      formatTable([
        ['server', url],
        ['tenant', identity.tenant.org],
        ['account', identity.account],
        ['role', identity.role],
        ['token', identity.token],
        ['expires', identity.expireTime || 'never'],
        ['key from', keySource],
        ...links.map(({ identityProvider, account }) => ['linked', `${account} (${identityProvider})`]),
      ]),
    )
  })
}
