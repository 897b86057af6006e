import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'

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

const segmenter = new Intl.Segmenter()

/** On one line, cut to as many columns as can be read at a glance. What is cut is never half a character. */
export function shorten(text: string, columns: number): string {
  const line = oneLine(text)
  // Characters without a width cannot make it look at all of a long text.
  const head = line.slice(0, columns * 8)
  if (head === line && stringWidth(line) <= columns) return line
  let [kept, width] = ['', 0]
  for (const { segment } of segmenter.segment(head)) {
    width += stringWidth(segment)
    if (width > columns - 1) break
    kept += segment
  }
  return `${kept}…`
}

/** JSON in which a terminal finds nothing to obey either. Programs read the same values from it. */
export function formatJson(document: unknown, indent?: number): string {
  return JSON.stringify(document, null, indent).replaceAll(OBEYED, escapeCharacter)
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
