import { InvitationMails } from '@skein/engine'
import type { TestServer } from '@skein/testkit'
import { openMailer } from '../../src/automations/smtp-mailer.ts'

/** What a server with automations does every second. */
export async function sendInvitationMails({ engine, config }: TestServer): Promise<void> {
  const loop = new InvitationMails(engine, openMailer(config), (error) => {
    throw error
  })
  await loop.runDue()
}
