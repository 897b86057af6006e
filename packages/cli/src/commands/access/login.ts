import { Skein } from '@skein/client'
import { KEY_PREFIXES, parseKey } from '@skein/contract/facts'
import type { Command } from 'commander'
import { askSecret } from '../../ask.ts'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { writeProfile } from '../../profile/profile-file.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { userAgentOf } from '../../version.ts'

interface LoginOptions {
  readonly url?: string
  readonly key?: string
  readonly workspace?: string
}

export function registerLogin(program: Command, context: CommandContext): void {
  const command = program
    .command('login')
    .summary('store a server’s URL and your API key')
    .description(
      'Checks the key and stores it in a profile that only you can read. ' +
        'On a terminal it asks for the key; otherwise it reads it from standard input.',
    )
    .option('--url <url>', 'the server; default: SKEIN_URL')
    .option('--key <key>', 'the key itself; it ends up in your shell history')
    .option('--workspace <name>', 'the workspace for agent names without one')
  withExample(command, 'skein login --url https://skein.example.com < key.txt').action(
    async (options: LoginOptions) => {
      const { io } = context
      const url = options.url ?? io.env['SKEIN_URL']
      if (!url) throw new UsageError('The server’s URL is missing.', 'Pass it with --url https://…')
      if (!URL.canParse(url))
        throw new UsageError(`${url} is not a URL.`, 'Use a URL such as https://skein.example.com')
      const apiKey = options.key ?? (await askSecret(io, 'API key: '))
      if (parseKey(apiKey)?.prefix !== KEY_PREFIXES.apiKey) {
        throw new UsageError('That is not a complete API key.', 'It looks like skn_….… and has no spaces.')
      }
      const identity = await new Skein({ baseUrl: url, apiKey, userAgent: userAgentOf('skein-cli') }).whoami()
      const profile = context.profileName ?? 'default'
      const { workspace } = options
      const path = await writeProfile(io.env, profile, { url, apiKey, ...(workspace && { workspace }) })
      context.print(
        { profile, path, url, ...identity },
        () => `You are ${identity.account} (${identity.role}) of ${identity.tenant.org} at ${url}.`,
      )
      context.note(`Stored as profile ${profile} in ${path}.`)
    },
  )
}
