import { stripVTControlCharacters, styleText } from 'node:util'

/** Where a command reads and writes. Results go to standard output; notes, progress and errors to standard error. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: NodeJS.ReadStream
  readonly isTerminal: boolean
  /** Whether a person can be asked: both ends of the conversation are a terminal. */
  readonly canAsk: boolean
  /** Lines that fit on the terminal; endless where there is none. */
  readonly height: number
  readonly width: number
  print(text: string): void
  note(text: string): void
  paint(style: Style, text: string): string
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'cyan' | 'magenta'

export function processIo(): Io {
  const { env, stdin, stdout, stderr } = process
  // A reader that has seen enough, such as head, closes the pipe. That is no failure.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  const hasColor = stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  return {
    env,
    stdin,
    isTerminal: stdout.isTTY,
    canAsk: stdin.isTTY && stderr.isTTY,
    height: stdout.isTTY ? stdout.rows : Number.POSITIVE_INFINITY,
    width: stdout.isTTY ? stdout.columns : Number.POSITIVE_INFINITY,
    print: (text) => void stdout.write(`${text}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    paint: (style, text) => (hasColor ? styleText(style, text, { validateStream: false }) : text),
  }
}

/** What an agent or another person wrote, without anything that a terminal would obey. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/(?![\t\n])\p{Cc}/gu, '')
}

/** The same on one line, cut to a length that can be read at a glance. */
export function shorten(text: string, length: number): string {
  const line = plain(text).replaceAll(/\s+/g, ' ').trim()
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}
