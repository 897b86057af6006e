import { inspect } from 'node:util'
import stringWidth from 'string-width'
import { cleanText } from './clean-text.ts'

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'cyan' | 'magenta'

/** Random, so that text from elsewhere cannot contain our colour marks. */
const SEAL = crypto.randomUUID()
const MARK = new RegExp(`<${SEAL}:(\\d+)>`)

/** Marks a text with a style until it is rendered. */
export function mark(style: Style, text: string): string {
  const [open, close] = inspect.colors[style] ?? [0, 0]
  return `<${SEAL}:${open}>${text}<${SEAL}:${close}>`
}

/** The output for a terminal: sanitized text with colours for the marks. */
export function render(text: string): string {
  return text
    .split(MARK)
    .map((part, index) => (index % 2 === 0 ? cleanText(part) : `\u001b[${part}m`))
    .join('')
}

/** Width in columns: wide characters and emoji take two, marks none. */
export function widthOf(text: string): number {
  return text
    .split(MARK)
    .reduce((width, part, index) => (index % 2 === 0 ? width + stringWidth(cleanText(part)) : width), 0)
}
