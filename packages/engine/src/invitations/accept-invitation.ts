import { findKind, SkeinError } from '@skein/contract'
import { parseKey } from '@skein/contract/facts'
import { teamMembers, type Caller, type Document } from '@skein/core'
import {
  CatalogStore,
  findKey,
  findOwnTenant,
  InvitationStore,
  PersonStore,
  type InvitationRecord,
  type KeyRecord,
  type Transaction,
} from '@skein/store'
import { toCaller } from '../access/known-key.ts'
import { openSession, type SignedIn, type SigningPage } from '../access/open-session.ts'
import { chargeAttempt, forgiveAttempt } from '../access/sign-in-limit.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { forgetDivision } from '../catalog/follow-team.ts'
import { writeIn } from '../catalog/write-resource.ts'
import { SYSTEM, type CommandContext } from '../commands/command.ts'
import type { EngineResources } from '../resources.ts'
import { invitationNotFound, requireInvitation } from './read-invitation.ts'

const SESSION_MS = 7 * 24 * 3_600_000

interface Accepted extends SigningPage {
  readonly code: string
  readonly account: string
}

interface SignedInWithKey extends SignedIn {
  /** Shown once. */
  readonly apiKey: string
}

/** Creates the person's token, adds them to the team, and signs their browser in: all of it, or nothing. */
export async function acceptInvitation(
  engine: EngineResources,
  { code, account, ...page }: Accepted,
): Promise<SignedInWithKey> {
  const attempt = { address: page.address, keyId: undefined }
  await chargeAttempt(engine, attempt)
  const { tenantId, id } = await requireInvitation(engine, code)
  const accepted = await engine.database.forTenant(tenantId, async (transaction) => {
    const at = engine.clock.now()
    const invitations = new InvitationStore(transaction)
    // Of two who open the same link, the second waits here and finds that it has ended.
    const invitation = await invitations.lockOpen(id, at)
    if (!invitation) throw invitationNotFound()
    await requireFree(transaction, invitation, account)
    const context = await contextFor(transaction, { tenantId, invitation, page })
    const { key, apiKey } = await createToken(engine, transaction, context, { invitation, account })
    if (invitation.team !== '') await joinTeam(engine, transaction, context, { invitation, account })
    await invitations.end(id, at, account)
    const caller = toCaller(key)
    await recordAudit(
      transaction,
      { caller, requestId: page.requestId, address: page.address },
      { operation: 'acceptInvitation', kind: 'invitation', name: id, at },
    )
    const expiresAt = at + SESSION_MS
    const session = { caller, keyId: key.keyId, createdAt: at, expiresAt }
    return { ...(await openSession(engine, transaction, page, session)), apiKey }
  })
  forgetDivision(engine, tenantId, { kind: 'team', name: '' })
  await forgiveAttempt(engine, attempt)
  return accepted
}

/** Nobody gets what belongs to somebody else, or is meant for them, by choosing their name. */
async function requireFree(
  transaction: Transaction,
  { ownerProvider, team }: InvitationRecord,
  account: string,
): Promise<void> {
  const catalog = new CatalogStore(transaction)
  const token = { kind: 'token', name: account }
  // Documents first, then people, as everywhere: the other order could deadlock.
  if (team !== '') await catalog.lock({ kind: 'team', name: team })
  await catalog.lock(token)
  await new PersonStore(transaction).lock()
  const isTaken =
    (await new InvitationStore(transaction).isTaken(ownerProvider, account)) ||
    (await catalog.find(token)) !== undefined
  if (isTaken) throw new SkeinError('ACCOUNT_TAKEN')
}

/** The service writes the documents. Whether the admin may give the role was decided when they invited. */
async function contextFor(
  transaction: Transaction,
  {
    tenantId,
    invitation,
    page,
  }: { readonly tenantId: string; readonly invitation: InvitationRecord; readonly page: SigningPage },
): Promise<CommandContext> {
  const caller: Caller = {
    tenantId,
    tenant: await findOwnTenant(transaction),
    ownerProvider: 'PROVIDER_SERVICE_PROFILE',
    account: SYSTEM,
    role: 'operator',
    token: `invitation/${invitation.id}`,
    pools: [],
    servesAllTenants: false,
  }
  const { requestId, address } = page
  return { caller, tenantId, requestId, address, justification: `Invited by ${invitation.createdBy}.` }
}

interface Joining {
  readonly invitation: InvitationRecord
  readonly account: string
}

async function createToken(
  engine: EngineResources,
  transaction: Transaction,
  context: CommandContext,
  { invitation: { role, ownerProvider, createdBy }, account }: Joining,
): Promise<{ key: KeyRecord; apiKey: string }> {
  const description = `Invited by ${createdBy}.`
  const document = { account, ownerProvider, role, description }
  const { secret = '' } = await write(engine, transaction, context, {
    kind: 'token',
    name: account,
    document,
  })
  const key = await findKey(transaction, parseKey(secret)?.keyId ?? '')
  if (!key) throw new Error('A key that was just written can be found')
  return { key, apiKey: secret }
}

async function joinTeam(
  engine: EngineResources,
  transaction: Transaction,
  context: CommandContext,
  { invitation: { team: name, ownerProvider }, account }: Joining,
): Promise<void> {
  const team = (await new CatalogStore(transaction).find({ kind: 'team', name }))?.document
  if (!team) {
    throw new SkeinError('INVITATION_NOT_FOUND', { message: 'The team of this invitation has been deleted.' })
  }
  const members = [...teamMembers(team), { account, ownerProvider, role: 'member' }]
  await write(engine, transaction, context, { kind: 'team', name, document: { ...team, members } })
}

function write(
  engine: EngineResources,
  transaction: Transaction,
  context: CommandContext,
  {
    kind,
    name,
    document,
  }: { readonly kind: 'token' | 'team'; readonly name: string; readonly document: Document },
) {
  const known = findKind(kind)
  if (!known) throw new Error(`The catalog has the kind ${kind}`)
  const command = {
    kind: known,
    name,
    payload: document,
    updateMask: '',
    ifGenerationMatch: undefined,
  }
  return writeIn(engine, transaction, context, { command, justification: context.justification ?? '' })
}
