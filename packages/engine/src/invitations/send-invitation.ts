import { countedSince, formatInvitation, nextAttempt, type MailResult } from '@skein/core'
import {
  findOwnTenant,
  findResumedAt,
  InvitationMailStore,
  takeMailAllowance,
  type HeldInvitationMail,
  type InvitationMail,
  type Transaction,
} from '@skein/store'
import type { Mailer, OutgoingMail } from '../automations/notifications/send-mail.ts'
import { ERROR_LENGTH, storable } from '../automations/webhooks/post-message.ts'
import type { EngineResources } from '../resources.ts'
import { invitationPlace, invitationUrl } from './to-invitation.ts'

/** Longer than a mail server may take, and a stalled process. */
export const MAIL_HOLD_MS = 60_000
const HOUR_MS = 3_600_000

interface Prepared {
  readonly mailer: Mailer
  readonly mail: OutgoingMail
  readonly stored: InvitationMail
  readonly resumedAt: number | undefined
}

/**
 * Sends the link of an invitation to the person. Killed between sending and recording that, the next server sends it
 * again, with the same id. What fails is retried for as long as other messages are.
 */
export async function sendInvitation(
  engine: EngineResources,
  mailer: Mailer | undefined,
  held: HeldInvitationMail,
): Promise<void> {
  const prepared = await engine.database.forTenant(held.tenantId, (transaction) =>
    prepare(engine, transaction, mailer, held),
  )
  if (!prepared) return
  const result = await trySend(prepared)
  await engine.database.forTenant(held.tenantId, (transaction) =>
    record(engine, new InvitationMailStore(transaction), held, { ...prepared, ...result }),
  )
}

/** Undefined if it is not sent now. */
async function prepare(
  engine: EngineResources,
  transaction: Transaction,
  mailer: Mailer | undefined,
  held: HeldInvitationMail,
): Promise<Prepared | undefined> {
  const mails = new InvitationMailStore(transaction)
  const stored = await mails.find(held)
  if (!stored) return undefined
  const now = engine.clock.now()
  const { email, expiresAt, attempts, role, createdBy } = stored
  const code = openCode(engine, held, stored)
  const problem = expiresAt <= now ? 'The invitation has expired.' : problemOf(mailer, email, code)
  if (problem !== undefined || !mailer) {
    await mails.fail(held, problem ?? '')
    return undefined
  }
  // Counted before it is sent, so that failures cannot be used to send more.
  if (!(await takeMailAllowance(transaction, { amount: 1, perHour: mailer.perHour }))) {
    const error = 'Your organization has sent as much e-mail as it may within an hour.'
    await mails.postpone(held, { dueAt: now - (now % HOUR_MS) + HOUR_MS, attempts, error })
    return undefined
  }
  const { org } = await findOwnTenant(transaction)
  const url = invitationUrl(engine.publicUrl, code)
  const content = formatInvitation({ org, invitedBy: createdBy, role, url, expiresAt })
  return {
    mailer,
    mail: { id: held.id, to: [email], ...content },
    stored,
    resumedAt: await findResumedAt(transaction),
  }
}

/** Empty if the key that it was sealed with has been removed. */
function openCode(
  { vault }: EngineResources,
  { tenantId, id }: HeldInvitationMail,
  { sealed }: InvitationMail,
): string {
  try {
    return vault.open(sealed, invitationPlace(tenantId, id))
  } catch {
    return ''
  }
}

function problemOf(mailer: Mailer | undefined, email: string, code: string): string | undefined {
  if (!mailer) return 'This installation sends no e-mail. Ask your operator to set SKEIN_SMTP_URL.'
  if (code === '') return 'The link can no longer be read. Create another invitation.'
  const refusal = mailer.refusalOf(email)
  return refusal === undefined ? undefined : `${email} was refused: ${refusal}`
}

interface SendResult {
  /** Undefined if it was sent. */
  readonly error: string | undefined
  /** Whether it would fail again. */
  readonly isFinal: boolean
}

async function trySend({ mailer, mail }: Prepared): Promise<SendResult> {
  try {
    return toResult(await mailer.send(mail))
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error), isFinal: false }
  }
}

function toResult({ reached, refused: [refused] }: MailResult): SendResult {
  if (reached.length > 0) return { error: undefined, isFinal: false }
  const reason = refused?.reason ?? 'The mail server did not accept it.'
  return {
    error: `${refused?.address ?? 'The address'} was refused: ${reason}`,
    isFinal: refused?.isFinal === true,
  }
}

async function record(
  { clock }: EngineResources,
  mails: InvitationMailStore,
  held: HeldInvitationMail,
  { error, isFinal, stored, resumedAt }: Prepared & SendResult,
): Promise<void> {
  const now = clock.now()
  if (error === undefined) return mails.sent(held, now)
  const attempts = stored.attempts + 1
  const waitingSince = countedSince(stored.createdAt, resumedAt)
  const dueAt = isFinal ? undefined : nextAttempt({ attempts, waitingSince, now, random: Math.random() })
  const text = storable(error, ERROR_LENGTH)
  return dueAt === undefined ? mails.fail(held, text) : mails.postpone(held, { dueAt, attempts, error: text })
}
