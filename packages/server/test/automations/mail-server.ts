import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** As it was sent, headers included. */
  readonly raw: string
  /** When, by `performance.now()`, and with which code it was answered. */
  readonly at: number
  readonly status: number
}

/** A real mail server on this machine. */
export class MailServer {
  readonly received: ReceivedMail[] = []
  /** The code with which a recipient is refused; undefined accepts. */
  refuse: (address: string) => number | undefined = () => undefined
  /** The code with which a mail is refused that has arrived; undefined accepts. */
  refuseMail: () => number | undefined = () => undefined
  /** Whether a mail is answered at all, once it has arrived. */
  answers = true
  /** Answers a mail that has arrived, at once unless a test has something to do first. */
  answer: (send: () => void) => void = (send) => send()
  readonly #server: SMTPServer

  private constructor() {
    this.#server = new SMTPServer({
      disabledCommands: ['STARTTLS', 'AUTH'],
      logger: false,
      onRcptTo: ({ address }, _session, done) => {
        done(refusal(this.refuse(address), 'No such mailbox'))
      },
      onData: (stream, { envelope }, done) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
          const to = envelope.rcptTo.map(({ address }) => address)
          const code = this.refuseMail()
          const raw = Buffer.concat(chunks).toString('utf8')
          this.received.push({ from, to, raw, at: performance.now(), status: code ?? 250 })
          if (this.answers) this.answer(() => done(refusal(code, 'Try again later')))
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

function refusal(code: number | undefined, why: string): Error | null {
  return code === undefined ? null : Object.assign(new Error(why), { responseCode: code })
}
