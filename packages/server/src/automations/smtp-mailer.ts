import { connect, type Socket } from 'node:net'
import { ConfigError } from '@skein/contract'
import type { MailResult } from '@skein/core'
import type { Mailer, OutgoingMail } from '@skein/engine'
import { createTransport } from 'nodemailer'
import type { Config } from '../config.ts'

/** As long as a request to a chat may take. */
const TIME_LIMIT_MS = 10_000
const REASON_LENGTH = 200

type MailSettings = Pick<
  Config,
  'SKEIN_SMTP_URL' | 'SKEIN_MAIL_FROM' | 'SKEIN_MAIL_DOMAINS' | 'SKEIN_MAILS_PER_HOUR'
>

/** Undefined if the operator has not configured a mail server. */
export function openMailer(config: MailSettings): SmtpMailer | undefined {
  return config.SKEIN_SMTP_URL === '' ? undefined : new SmtpMailer(config)
}

/** Sends e-mail through the operator's mail server, within a fixed time. */
export class SmtpMailer implements Mailer {
  readonly perHour: number
  readonly #url: URL
  readonly #from: string
  readonly #sender: string
  readonly #domains: ReadonlySet<string>

  constructor(config: MailSettings) {
    const url = URL.parse(config.SKEIN_SMTP_URL)
    if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
      throw new ConfigError(
        'SKEIN_SMTP_URL must look like smtps://user:password@mail.example.com (see docs/configuration.md).',
      )
    }
    const sender = /^(?:[^<>\r\n]*<)?([^<>@\s]+@[^<>@\s]+?)>?$/.exec(config.SKEIN_MAIL_FROM)?.[1]
    if (sender === undefined) {
      throw new ConfigError(
        'With SKEIN_SMTP_URL, SKEIN_MAIL_FROM must be an address such as Skein <skein@example.com> (see docs/configuration.md).',
      )
    }
    // A password must not go out in the clear because somebody removed STARTTLS from the server's greeting.
    const isExplicit = ['requireTLS', 'ignoreTLS'].some((option) => url.searchParams.has(option))
    if (url.username !== '' && !isExplicit) url.searchParams.set('requireTLS', 'true')
    this.#url = url
    this.#from = config.SKEIN_MAIL_FROM
    this.#sender = sender
    this.perHour = config.SKEIN_MAILS_PER_HOUR
    const domains = config.SKEIN_MAIL_DOMAINS === '' ? domainOf(sender) : config.SKEIN_MAIL_DOMAINS
    this.#domains = new Set(domains.split(',').map((domain) => domain.trim().toLowerCase()))
  }

  refusalOf(address: string): string | undefined {
    if (this.#domains.has('*') || this.#domains.has(domainOf(address))) return undefined
    return 'this installation sends no e-mail to that domain. Ask your operator to allow it (SKEIN_MAIL_DOMAINS).'
  }

  async send({ id, to, subject, text }: OutgoingMail): ReturnType<Mailer['send']> {
    let socket: Socket | undefined
    const transport = createTransport({
      url: this.#url.href,
      disableFileAccess: true,
      disableUrlAccess: true,
      // Ours, so that it can be closed: the library's own limits restart with each answer of the server.
      getSocket: (_options, callback) => {
        socket = this.#connect(callback)
      },
    })
    let isLate = false
    const limit = setTimeout(() => {
      isLate = true
      socket?.destroy(new Error('late'))
    }, TIME_LIMIT_MS)
    try {
      const info = await transport.sendMail({
        from: this.#from,
        to: [...to],
        envelope: { from: this.#sender, to: [...to] },
        subject,
        text,
        messageId: `<${id}@${domainOf(this.#sender)}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
      const accepted = new Set(info.accepted.map((address) => address.toLowerCase()))
      return {
        // The library changes the case of domains: they must be told apart from those that are still to be sent to.
        reached: to.filter((address) => accepted.has(address.toLowerCase())),
        refused: refusalsOf(to, info.rejectedErrors ?? []),
        response: info.response,
      }
    } catch (error) {
      if (isLate) throw new Error('The mail server did not answer within 10 seconds.', { cause: error })
      const refused = refusalsOf(to, rejectionsOf(error))
      if (refused.length > 0) return { reached: [], refused, response: '' }
      throw describe(error)
    } finally {
      clearTimeout(limit)
      socket?.destroy()
      transport.close()
    }
  }

  #connect(callback: (error: Error | null, options?: { connection: Socket }) => void): Socket {
    const { protocol, hostname, port } = this.#url
    const usual = protocol === 'smtps:' ? 465 : 587
    const host = hostname.replace(/^\[|\]$/g, '')
    const socket = connect({ host, port: port === '' ? usual : Number(port) })
    const fail = (error: Error): void => callback(error)
    socket.once('error', fail)
    socket.once('connect', () => {
      socket.off('error', fail)
      callback(null, { connection: socket })
    })
    return socket
  }
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase()
}

interface Rejection extends Error {
  readonly recipient?: string | undefined
  readonly responseCode?: number | undefined
  readonly response?: string | undefined
}

/** If the server refuses all recipients, the library throws. */
function rejectionsOf(error: unknown): readonly Rejection[] {
  if (!(error instanceof Error) || !('rejectedErrors' in error)) return []
  const { rejectedErrors } = error
  return Array.isArray(rejectedErrors) ? rejectedErrors.filter((each) => each instanceof Error) : []
}

function refusalsOf(to: readonly string[], rejections: readonly Rejection[]): MailResult['refused'] {
  return rejections.flatMap(({ recipient = '', responseCode = 0, response, message }) => {
    const address = to.find((known) => known.toLowerCase() === recipient.toLowerCase())
    if (address === undefined) return []
    const reason = (response ?? message).slice(0, REASON_LENGTH)
    return [{ address, reason, isFinal: responseCode >= 500 && responseCode < 600 }]
  })
}

const REASONS: Readonly<Record<string, string>> = {
  EAUTH: 'The mail server refused the sign-in. Tell your operator.',
  EENVELOPE: 'The mail server refused the sender. Tell your operator.',
  EMESSAGE: 'The mail server refused the message.',
  ETLS: 'The connection to the mail server could not be encrypted. Tell your operator.',
}

/** In words for the integration's owner, who need not know where the operator's mail server is. */
function describe(error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return new Error(REASONS[code] ?? 'The mail server could not be reached.', { cause: error })
}
