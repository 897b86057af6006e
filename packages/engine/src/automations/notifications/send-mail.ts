import type { MailResult } from '@skein/core'

/** An e-mail from the installation's own address. */
export interface OutgoingMail {
  /** The same for every attempt, so that mail programs recognise a repeated one. */
  readonly id: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
}

/** How the installation sends e-mail. */
export interface Mailer {
  /** Rejects with a reason that the integration's owner may read. */
  send(mail: OutgoingMail): Promise<MailResult & { readonly response: string }>
  /** Why this address gets no mail from here; undefined if it may. */
  refusalOf(address: string): string | undefined
  /** For each tenant, counted by recipients. */
  readonly perHour: number
}
