import { widthOf } from './colors.ts'

/** Narrower than this, lines of a few words each read worse than what the terminal makes of them. */
const MIN_WIDTH = 30

/** Breaks lines that do not fit between words. Colour takes no room; lines that fit stay as they are. */
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
