import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** As it was sent, headers included. */
  readonly raw: string
}

/** A real mail server on this machine. */
export class MailServer {
  readonly received: ReceivedMail[] = []
  /** The code with which a recipient is refused; undefined accepts. */
  refuse: (address: string) => number | undefined = () => undefined
  /** Whether a mail is answered at all, once it has arrived. */
  answers = true
  readonly #server: SMTPServer

  private constructor() {
    this.#server = new SMTPServer({
      disabledCommands: ['STARTTLS', 'AUTH'],
      logger: false,
      onRcptTo: ({ address }, _session, done) => {
        const code = this.refuse(address)
        done(code === undefined ? null : Object.assign(new Error('No such mailbox'), { responseCode: code }))
      },
      onData: (stream, { envelope }, done) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
          const to = envelope.rcptTo.map(({ address }) => address)
          this.received.push({ from, to, raw: Buffer.concat(chunks).toString('utf8') })
          if (this.answers) done()
        })
      },
    })
    this.#server.on('error', () => undefined)
  }

  static async start(): Promise<MailServer> {
    const server = new MailServer()
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    return server
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.#server.server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(resolve))
  }
}
