import { toOneLine } from './one-line.ts'

interface InvitationMail {
  readonly org: string
  readonly invitedBy: string
  readonly role: string
  readonly url: string
  readonly expiresAt: number
}

/** Says nothing that the admin could choose freely: anyone may get it. */
export function formatInvitation({ org, invitedBy, role, url, expiresAt }: InvitationMail): {
  readonly subject: string
  readonly text: string
} {
  const tenant = toOneLine(org)
  const until = new Date(expiresAt).toISOString().slice(0, 16).replace('T', ' ')
  return {
    subject: `[Skein] Invitation to ${tenant}`,
    text: [
      `${toOneLine(invitedBy)} invites you to ${tenant} on Skein, as ${role}.`,
      `To create your account, open this link. It works once, until ${until} UTC:`,
      url,
      'Anyone who has the link can accept the invitation, so don’t pass it on. If you did not expect it, ignore this mail.',
      '-- \nSent by Skein because somebody entered your address.\n',
    ].join('\n\n'),
  }
}
