import { stripVTControlCharacters } from 'node:util'

/** What a terminal obeys instead of showing it, and marks that reorder what is shown. */
const OBEYED = /(?![\t\n])\p{Cc}|\p{Bidi_Control}/gu

/** Text without anything that a terminal would obey, whoever wrote it. */
export function cleanText(text: string): string {
  return stripVTControlCharacters(text).replaceAll(OBEYED, '')
}

/** The same on one line: a line break in a name must not make a line of its own. */
function oneLine(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, ' ').trim()
}

/** On one line, cut to a length that can be read at a glance. */
export function shorten(text: string, length: number): string {
  const line = oneLine(text)
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}

/** JSON in which a terminal finds nothing to obey either. Programs read the same values from it. */
export function formatJson(document: unknown, indent?: number): string {
  return JSON.stringify(document, null, indent).replaceAll(OBEYED, escapeCharacter)
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
