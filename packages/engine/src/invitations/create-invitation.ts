import { parseDuration, SkeinError, type InvitationEntry, type Provider } from '@skein/contract'
import { INVITATION_CODE_PREFIX } from '@skein/contract/facts'
import { requireGrantable, requireJustification } from '@skein/core'
import { CatalogStore, InvitationStore } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import { hashSecret } from '../access/keys.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { CommandContext, CommandOutcome } from '../commands/command.ts'
import { carryOutTenantCommand } from '../commands/tenant-command.ts'
import type { EngineResources } from '../resources.ts'
import { invitationPlace, invitationUrl, toInvitation } from './to-invitation.ts'

const USUAL_MS = 7 * 24 * 3_600_000
const LEAST_MS = 60_000
const MOST_MS = 30 * 24 * 3_600_000
const MAX_OPEN = 100
/**
 * Of everyone who is invited. In that of identity providers, a person who signs in for the first time gets the account of
 * a token with their name, and the invited could choose the name of somebody who has not signed in yet.
 */
const OWNER_PROVIDER: Provider = 'PROVIDER_CODEHOST_OAUTH'
/** Of those that have ended. */
const MAX_KEPT = 1_000

interface WantedInvitation {
  readonly role: InvitationEntry['role']
  readonly team?: string | undefined
  readonly description?: string | undefined
  readonly email?: string | undefined
  readonly expiresIn?: string | undefined
}

interface CreatedInvitation {
  readonly invitation: InvitationEntry
  readonly url: string
}

/** A link for one person. The code in it is stored nowhere, unless it is to be sent: then sealed, until it was. */
export function createInvitation(
  engine: EngineResources,
  context: CommandContext,
  { role, team = '', description = '', email = '', expiresIn }: WantedInvitation,
): Promise<CommandOutcome<CreatedInvitation>> {
  const { caller, justification = '' } = context
  requireJustification(caller, justification)
  requireGrantable(caller, [{ role }])
  const lastsMs = readSpan(expiresIn)
  return carryOutTenantCommand(engine, context, async (transaction) => {
    if (team !== '') await requireTeam(new CatalogStore(transaction), team)
    const at = engine.clock.now()
    const invitations = new InvitationStore(transaction)
    if ((await invitations.lockAndCount(at)) >= MAX_OPEN) {
      throw new SkeinError('INVITATION_LIMIT', {
        message: `A tenant has at most ${MAX_OPEN} open invitations. Revoke some of them.`,
      })
    }
    const code = INVITATION_CODE_PREFIX + Buffer.from(engine.random.bytes(32)).toString('base64url')
    const id = uuidV7({ msecs: at, random: engine.random.bytes(16) })
    const added = {
      id,
      ownerProvider: OWNER_PROVIDER,
      role,
      team,
      description,
      email,
      createdBy: caller.account,
      createdAt: at,
      expiresAt: at + lastsMs,
    }
    const sealed = email === '' ? undefined : engine.vault.seal(code, invitationPlace(context.tenantId, id))
    await invitations.add({ ...added, secretSha256: hashSecret(code), sealed }, MAX_KEPT)
    await recordAudit(transaction, context, {
      operation: 'createInvitation',
      kind: 'invitation',
      name: added.id,
      justification,
      at,
    })
    const mail = { mailDueAt: email === '' ? undefined : at, mailSentAt: undefined, mailError: '' }
    const invitation = toInvitation({ ...added, ...mail, endedAt: undefined, account: '' }, at)
    const url = invitationUrl(engine.publicUrl, code)
    return { answer: { invitation, url }, recorded: { invitation, url: '' } }
  })
}

function readSpan(expiresIn: string | undefined): number {
  const lastsMs = expiresIn === undefined ? USUAL_MS : (parseDuration(expiresIn) ?? 0)
  if (lastsMs >= LEAST_MS && lastsMs <= MOST_MS) return lastsMs
  throw new SkeinError('REQUEST_INVALID', {
    message: 'The request is not valid: expiresIn must be from 60s to 30 days.',
    violations: [{ field: 'expiresIn', description: 'must be from 60s to 2592000s' }],
  })
}

async function requireTeam(catalog: CatalogStore, name: string): Promise<void> {
  const ref = { kind: 'team', name }
  await catalog.lockReferences([ref])
  if ((await catalog.find(ref))?.document) return
  throw new SkeinError('REQUEST_INVALID', {
    message: `The request is not valid: the team ${name} does not exist.`,
    violations: [{ field: 'team', description: 'does not exist' }],
  })
}
