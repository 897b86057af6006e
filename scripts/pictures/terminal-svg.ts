/** A recorded session as a small animated picture without scripts, for anything that shows SVG. */
import { stripVTControlCharacters } from 'node:util'
import { SEQUENCE_START } from './record-terminal.ts'

export interface RecordedCommand {
  readonly command: string
  readonly output: string
}

const CHARACTER = { width: 8.43, height: 20 }
const MARGIN = 20
const TITLE_HEIGHT = 28
const PROMPT_PAUSE_S = 1.2
const LINE_PAUSE_S = 0.06
const READ_PAUSE_S = 1.8

/** The styles of `paint` in the command line. */
const CLASSES: Readonly<Record<string, string>> = {
  '1': 'bold',
  '2': 'dim',
  '31': 'red',
  '32': 'green',
  '33': 'yellow',
  '35': 'magenta',
  '36': 'cyan',
}

const STYLE = `
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #d7dce2; white-space: pre }
.bold { font-weight: 700 } .dim { fill: #8a93a0 } .red { fill: #ff8f87 } .green { fill: #7bd88f }
.yellow { fill: #e5c07b } .magenta { fill: #d8a4f5 } .cyan { fill: #74c7ec } .prompt { fill: #7bd88f; font-weight: 700 }
@keyframes appear { from { opacity: 0 } to { opacity: 0 } }
@media (prefers-reduced-motion: no-preference) { .line { animation-name: appear; animation-timing-function: step-end } }`

export function drawTerminal(
  session: readonly RecordedCommand[],
  { columns, title }: { readonly columns: number; readonly title: string },
): string {
  const lines: string[] = []
  let seconds = 0.4
  const add = (content: string, pauseS: number): void => {
    const y = TITLE_HEIGHT + MARGIN + (lines.length + 0.5) * CHARACTER.height
    lines.push(
      // Hidden at first: without animation, everything is visible.
      `<text class="line" x="${MARGIN}" y="${y}" style="animation-duration:${seconds.toFixed(2)}s">${content}</text>`,
    )
    seconds += pauseS
  }
  for (const { command, output } of session) {
    add(`<tspan class="prompt">$</tspan> ${escapeText(command)}`, PROMPT_PAUSE_S)
    for (const line of output.split('\n')) add(drawLine(line), LINE_PAUSE_S)
    add('', READ_PAUSE_S)
  }
  const widest = Math.max(columns, ...session.flatMap(({ output }) => output.split('\n').map(lengthOf)))
  const width = Math.ceil(widest * CHARACTER.width + 2 * MARGIN)
  const height = TITLE_HEIGHT + 2 * MARGIN + (lines.length - 1) * CHARACTER.height
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeText(title)}</title>
<style>${STYLE}</style>
<rect width="${width}" height="${height}" rx="8" fill="#1b1f27"/>
<circle cx="20" cy="18" r="5" fill="#4a5261"/><circle cx="38" cy="18" r="5" fill="#4a5261"/><circle cx="56" cy="18" r="5" fill="#4a5261"/>
${lines.join('\n')}
</svg>
`
}

function drawLine(line: string): string {
  let classes: string[] = []
  const [first = '', ...painted] = line.split(SEQUENCE_START)
  const pieces = painted.map((piece) => {
    const [start, codes = ''] = /^([\d;]*)m/.exec(piece) ?? ['']
    classes = styleAfter(classes, codes)
    const text = escapeText(piece.slice(start.length))
    return classes.length === 0 || text === '' ? text : `<tspan class="${classes.join(' ')}">${text}</tspan>`
  })
  return escapeText(first) + pieces.join('')
}

/** A diff is not wrapped, so a line may be wider than the terminal. */
function lengthOf(line: string): number {
  return stripVTControlCharacters(line).length
}

function styleAfter(classes: readonly string[], codes: string): string[] {
  const added = codes.split(';').flatMap((code) => CLASSES[code] ?? [])
  // Any other code ends the current styles: 0, 22, 39.
  return added.length === 0 ? [] : [...classes, ...added]
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
