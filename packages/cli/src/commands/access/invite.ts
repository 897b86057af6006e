import type { InvitationEntry } from '@skein/client'
import { INVITATION_ROLES } from '@skein/contract/facts'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { parseSpan } from '../../command-line/time-spans.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { shorten } from '../../output/clean-text.ts'
import { formatTable } from '../../output/table.ts'

interface InviteOptions {
  readonly role: string
  readonly team?: string
  readonly description?: string
  readonly expiresIn?: string
  readonly because?: string
  readonly email?: string
}

const MAX_URL_COLUMNS = 2_000

export function registerInvite(program: Command, context: CommandContext): void {
  const invite = program.command('invite').summary('invite people who have no identity provider')
  const create = invite
    .command('create')
    .summary('create a link for one person; it is shown once, on standard output')
    .option('--role <role>', 'viewer, member or admin', 'member')
    .option('--team <name>', 'a team that the person joins as a member')
    .option('--description <text>', 'who it is for')
    .option('--email <address>', 'also send the link to this address')
    .option('--expires-in <span>', 'how long the link works, such as 2d; default: 7d')
    .option('--because <text>', 'the reason, for the audit log (required for operators)')
  withExample(create, 'skein invite create --role member --description Grace').action(
    async ({ role: asked, team, description, email, expiresIn, because }: InviteOptions) => {
      const role = INVITATION_ROLES.find((known) => known === asked)
      if (role === undefined)
        throw new UsageError(`Cannot invite with the role ${asked}.`, 'Use viewer, member or admin.')
      const wanted = {
        role,
        ...(team !== undefined && { team }),
        ...(description !== undefined && { description }),
        ...(email !== undefined && { email }),
        ...(expiresIn !== undefined && { expiresIn: `${parseSpan(expiresIn) / 1000}s` }),
      }
      const skein = await context.skein()
      const { invitation, url } = await skein.invite(wanted, { justification: because })
      if (url === '') {
        // A retry was answered from the record, which contains no secret.
        throw new UsageError(
          'The response with the link was lost.',
          `Revoke the invitation and create a new one: skein invite revoke ${invitation.id}`,
        )
      }
      context.print({ ...invitation, url }, () => shorten(url, MAX_URL_COLUMNS))
      const what =
        invitation.email === ''
          ? 'Send this link to one person.'
          : `It is being sent to ${shorten(invitation.email, 254)}; skein invite ls shows whether that worked.`
      context.note(`${what} It works once, until ${invitation.expireTime}.`)
    },
  )
  const ls = invite.command('ls').summary('list invitations, newest first')
  withExample(ls, 'skein invite ls').action(async () => {
    const found: InvitationEntry[] = []
    for await (const invitation of (await context.skein()).invitations()) found.push(invitation)
    context.print({ invitations: found }, () =>
      found.length === 0
        ? 'No invitations.'
        : formatTable([
            ['INVITATION', 'ROLE', 'TEAM', 'STATE', 'ACCOUNT', 'EXPIRES', 'E-MAIL', 'DESCRIPTION'],
            ...found.map((invitation) => [
              invitation.id,
              invitation.role,
              invitation.team || '-',
              invitation.state,
              invitation.account || '-',
              invitation.expireTime,
              mailOf(invitation),
              shorten(invitation.description, 60),
            ]),
          ]),
    )
  })
  const revoke = invite
    .command('revoke')
    .summary('revoke an invitation that has not been accepted')
    .argument('<invitation>', 'its id, from ls')
    .option('--because <text>', 'the reason, for the audit log (required for operators)')
  withExample(revoke, 'skein invite revoke 0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10').action(
    async (id: string, { because }: { readonly because?: string }) => {
      await (await context.skein()).revokeInvitation(id, { justification: because })
      context.print({ invitation: id, revoked: true }, () => `Revoked ${id}.`)
    },
  )
}

function mailOf({ mailState, mailError }: InvitationEntry): string {
  if (mailState === 'none') return '-'
  return mailError === '' ? mailState : `${mailState}: ${shorten(mailError, 80)}`
}
