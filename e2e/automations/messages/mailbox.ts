import type { Random } from '@skein/testkit'
import { MailServer } from '../../../packages/server/test/automations/mail-server.ts'
import type { Arrival, MessageReceiver } from './message-receiver.ts'

/** The only header that differs between attempts to send the same mail. */
const DATE = /^Date: .*\r\n/m

/** A mail server that remembers everything, and refuses one mail in ten for now. */
export class Mailbox implements MessageReceiver {
  readonly integration = 'mail'
  readonly document = { type: 'email', to: ['ada@example.com'] }
  readonly #server: MailServer

  private constructor(server: MailServer) {
    this.#server = server
  }

  static async start(random: Random): Promise<Mailbox> {
    const server = await MailServer.start()
    server.refuseMail = () => (random.chance(0.1) ? 451 : undefined)
    return new Mailbox(server)
  }

  /** What servers need to know. */
  get settings(): Readonly<Record<string, string>> {
    return {
      SKEIN_SMTP_URL: this.#server.url,
      SKEIN_MAIL_FROM: 'Skein <skein@example.com>',
      SKEIN_MAILS_PER_HOUR: '100000',
    }
  }

  get arrivals(): readonly Arrival[] {
    return this.#server.received.map(({ raw, at, status }) => ({
      message: raw.replace(DATE, ''),
      at,
      status,
      // Its answer is written at once.
      answeredAt: at,
    }))
  }

  close(): Promise<void> {
    return this.#server.close()
  }
}
