import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'

/** Terminal control characters, and marks that reorder the displayed text. */
const OBEYED = /(?![\t\n])\p{Cc}|\p{Bidi_Control}/gu

/** Removes everything a terminal would interpret. */
export function cleanText(text: string): string {
  return stripVTControlCharacters(text).replaceAll(OBEYED, '')
}

/** Same, on one line: a line break in a name must not start a new line. */
function oneLine(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, ' ').trim()
}

const segmenter = new Intl.Segmenter()

/** One line, truncated to the given columns without splitting a character. */
export function shorten(text: string, columns: number): string {
  const line = oneLine(text)
  // Bounds the work for long texts with zero-width characters.
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

/** JSON without anything a terminal would interpret. Programs read the same values from it. */
export function formatJson(document: unknown, indent?: number): string {
  return JSON.stringify(document, null, indent).replaceAll(OBEYED, escapeCharacter)
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
