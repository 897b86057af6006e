import { Skein, type Identity } from '@skein/client'
import { KEY_PREFIXES, parseKey } from '@skein/contract/facts'
import type { Command } from 'commander'
import { askSecret } from '../../ask.ts'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { hasKeyring } from '../../keyring/keyring.ts'
import { signInWithBrowser, signInWithCode } from '../../login/sign-in.ts'
import type { StoredProfile } from '../../profile/profile-file.ts'
import { toStored } from '../../profile/renew-key.ts'
import { storeProfile } from '../../profile/stored-keys.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import type { Io } from '../../io.ts'
import { userAgentOf } from '../../version.ts'

interface LoginOptions {
  readonly url?: string
  readonly browser?: true
  readonly device?: true
  readonly withKey?: true
  readonly key?: string
  readonly workspace?: string
}

interface Entered extends Pick<StoredProfile, 'apiKey' | 'session'> {
  readonly identity: Identity
}

export function registerLogin(program: Command, context: CommandContext): void {
  const command = program
    .command('login')
    .summary('sign in to a server')
    .description(
      'Opens the dashboard in your browser, where you confirm. What it gets is kept in the system keyring if there is one, ' +
        'otherwise in a file that only you can read, and renews itself until the session ends. ' +
        'With an API key, it stores that key in the file. ' +
        'Without a terminal, it reads a key from standard input.',
    )
    .option('--url <url>', 'the server; default: SKEIN_URL')
    .option('--browser', 'confirm in a browser on this machine; the default on a terminal')
    .option('--device', 'confirm in a browser on another machine, by typing a code there')
    .option('--with-key', 'ask for an API key, or read it from standard input')
    .option('--key <key>', 'the key itself; it ends up in your shell history')
    .option('--workspace <name>', 'the workspace for agent names without one')
  withExample(command, 'skein login --url https://skein.example.com').action(
    async (options: LoginOptions) => {
      const { io } = context
      const url = options.url ?? io.env['SKEIN_URL']
      if (!url) throw new UsageError('The server’s URL is missing.', 'Pass it with --url https://…')
      if (!URL.canParse(url))
        throw new UsageError(`${url} is not a URL.`, 'Use a URL such as https://skein.example.com')
      // A wrong setting is reported before somebody confirms.
      hasKeyring(io.env)
      const { identity, ...credential } = await enter(io, url, options)
      const profile = context.profileName ?? 'default'
      const { workspace } = options
      const stored = { url, ...credential, ...(workspace && { workspace }) }
      const { path, keyring, why } = await storeProfile(io, profile, stored)
      context.print(
        { profile, path, keyring, url, ...identity },
        () => `You are ${identity.account} (${identity.role}) of ${identity.tenant.org} at ${url}.`,
      )
      if (why !== '') context.note(`The system keyring cannot be used: ${why}.`)
      context.note(
        keyring
          ? `Stored as profile ${profile} in ${path}, with its key in the system keyring.`
          : `Stored as profile ${profile} in ${path}.`,
      )
    },
  )
}

async function enter(io: Io, url: string, options: LoginOptions): Promise<Entered> {
  const { key, withKey, device, browser } = options
  if ([key, withKey, device, browser].filter((option) => option !== undefined).length > 1) {
    throw new UsageError(
      'These options exclude each other.',
      'Use one of --browser, --device, --with-key and --key.',
    )
  }
  if (device) return withSession(await signInWithCode(io, url))
  if (browser ?? (io.canAsk && !withKey && key === undefined))
    return withSession(await signInWithBrowser(io, url))
  const apiKey = key ?? (await askSecret(io, 'API key: '))
  if (parseKey(apiKey)?.prefix !== KEY_PREFIXES.apiKey) {
    throw new UsageError('That is not a complete API key.', 'It looks like skn_….… and has no spaces.')
  }
  const skein = new Skein({ baseUrl: url, apiKey, userAgent: userAgentOf('skein-cli') })
  return { apiKey, identity: await skein.whoami() }
}

function withSession(keys: Awaited<ReturnType<typeof signInWithCode>>): Entered {
  return { ...toStored(keys), identity: keys.identity }
}
