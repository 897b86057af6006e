import { takeDueInvitationMails } from '@skein/store'
import type { Mailer } from '../automations/notifications/send-mail.ts'
import { TenantLoop, workSource } from '../loops/tenant-loop.ts'
import { TenantWorkers } from '../loops/tenant-workers.ts'
import type { EngineResources } from '../resources.ts'
import { MAIL_HOLD_MS, sendInvitation } from './send-invitation.ts'

const LOOK_EVERY_MS = 1_000
const MAX_WORKERS = 8
/** So that a tenant that invites many leaves room for others. */
const MAX_WORKERS_OF_TENANT = 2

/** Sends the links of invitations. */
export class InvitationMails extends TenantLoop {
  constructor(engine: EngineResources, mailer: Mailer | undefined, onError: (error: unknown) => void) {
    const sources = [
      workSource(takeDueInvitationMails, MAIL_HOLD_MS, (held) => sendInvitation(engine, mailer, held)),
    ]
    const workers = new TenantWorkers(MAX_WORKERS, MAX_WORKERS_OF_TENANT)
    super(engine, { everyMs: LOOK_EVERY_MS, workers, sources }, onError)
  }
}
