import { widthOf } from './colors.ts'

/** Below this width, the terminal's own wrapping reads better. */
const MIN_WIDTH = 30

/** Wraps long lines between words, ignoring colours. Lines that fit stay as they are. */
export function wrapText(text: string, width: number): string {
  if (width < MIN_WIDTH) return text
  return text
    .split('\n')
    .map((line) => wrapLine(line, width))
    .join('\n')
}

function wrapLine(line: string, width: number): string {
  if (widthOf(line) <= width) return line
  const lines: string[] = []
  let current = ''
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`
    if (current !== '' && widthOf(longer) > width) {
      lines.push(current)
      current = word
    } else {
      current = longer
    }
  }
  return [...lines, current].join('\n')
}
