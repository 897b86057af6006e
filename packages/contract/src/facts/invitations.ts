/** Prefix of the code in the fragment of an invitation's link. */
export const INVITATION_CODE_PREFIX = 'ski_'
export const INVITATION_CODE_PATTERN = `^${INVITATION_CODE_PREFIX}[A-Za-z0-9_-]{43}$`

/** What a person can be invited as. Runners and operators are no people of a tenant. */
export const INVITATION_ROLES = ['viewer', 'member', 'admin'] as const

export const INVITATION_STATES = ['open', 'accepted', 'revoked', 'expired'] as const
/** What became of the mail with the link. */
export const INVITATION_MAIL_STATES = ['none', 'waiting', 'sent', 'failed'] as const

export type InvitationState = (typeof INVITATION_STATES)[number]
