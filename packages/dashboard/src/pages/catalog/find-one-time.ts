import type { Document } from '@skein/documents'

/** What was answered once and is not there to be read. */
export function findOneTime(answer: Document, held: Document): Readonly<Record<string, string>> {
  const entries = Object.entries(answer).filter(([name]) => !(name in held))
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== ''),
  )
}
