import { quoteOutsideText } from '../outside-text.ts'

/** Where a text came from. */
export interface TextSource {
  readonly trigger: string
  readonly deliveryId: string
}

/** As `quoteOutsideText`, with where it came from. */
export function quoteText(text: string, { trigger, deliveryId }: TextSource): string {
  return quoteOutsideText(text, `received by trigger ${trigger} in delivery ${deliveryId}`)
}

const MAX_IDENTIFIER_LENGTH = 64

/** A number, key or branch for use within a sentence: nothing in it can be read as one. */
export function toIdentifier(text: string): string {
  return text
    .slice(0, 4 * MAX_IDENTIFIER_LENGTH)
    .replaceAll(/[^A-Za-z0-9._/#-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, MAX_IDENTIFIER_LENGTH)
}
