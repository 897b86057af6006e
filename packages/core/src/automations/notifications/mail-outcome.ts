import type { Answer } from '../webhooks/retries.ts'

/** What a mail server said about each recipient. */
export interface MailResult {
  readonly reached: readonly string[]
  readonly refused: readonly RefusedRecipient[]
}

interface RefusedRecipient {
  readonly address: string
  readonly reason: string
  /** Whether it would be refused again. */
  readonly isFinal: boolean
}

export interface MailDecision {
  readonly answer: Answer
  /** Who needs no further attempt: they have the mail, or never will. */
  readonly settled: readonly string[]
}

/**
 * A mail is retried only for those who may still get it: the others would get it twice. It has arrived if everybody has
 * it who can have it.
 */
export function decideMail({ reached, refused }: MailResult, settledBefore: readonly string[]): MailDecision {
  const final = refused.filter(({ isFinal }) => isFinal)
  const settled = [...settledBefore, ...reached, ...final.map(({ address }) => address)]
  const error = refused.map(({ address, reason }) => `${address} was refused: ${reason}`).join(' ')
  const isOver = final.length === refused.length
  const isForSomebody = reached.length > 0 || settledBefore.length > 0
  return { answer: isOver && isForSomebody ? { type: 'delivered' } : { type: 'failed', error }, settled }
}
