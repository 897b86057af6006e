import { SkeinApiError } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { KeyringUnusableError, removeProfile, SignedOutError } from '../../profile/stored-keys.ts'
import { UsageError } from '../../command-line/usage-error.ts'

export function registerLogout(program: Command, context: CommandContext): void {
  const command = program
    .command('logout')
    .summary('sign out of a server and remove its profile')
    .description(
      'Ends the session at the server. An API key is only removed from the profile: revoke it with skein token revoke.',
    )
  withExample(command, 'skein logout').action(async () => {
    const { name, session, keyring, url } = await context.profile()
    if (name === undefined) {
      throw new UsageError('No stored profile is in use.', 'Name one with --profile, or unset SKEIN_API_KEY.')
    }
    const isSession = session !== undefined || keyring === true
    const ended = isSession && (await endSession(context))
    const why = await removeProfile(context.io.env, name)
    context.print({ profile: name, url, ended }, () =>
      ended ? `Signed out of ${url}.` : `Removed the key for ${url}. It is still valid.`,
    )
    if (why !== '') context.note(`A key for it is still in the system keyring: ${why}.`)
    if (isSession && !ended) context.note('End the session in the dashboard, on the page Sessions.')
  })
}

/** It may have ended before. False if nobody can read its key now: that must not keep the profile here. */
async function endSession(context: CommandContext): Promise<boolean> {
  try {
    await (await context.skein()).signOut()
  } catch (error) {
    if (error instanceof SignedOutError) return true
    if (error instanceof KeyringUnusableError) return false
    if (!(error instanceof SkeinApiError) || error.code !== 'UNAUTHENTICATED') throw error
  }
  return true
}
