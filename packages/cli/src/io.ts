import { mark, render, type Style } from './output/colors.ts'

/**
 * A command's input and output. Results go to standard output; notes, progress and errors to standard error. All
 * output is sanitized here, so that no other code has to think about terminal escapes.
 */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: NodeJS.ReadStream
  readonly isTerminal: boolean
  /** Whether a person can be asked: input and output are both a terminal. */
  readonly canAsk: boolean
  /** Height of the terminal; infinite without one. */
  readonly height: number
  readonly width: number
  print(text: string): void
  /** For files and programs: unchanged. A terminal still gets it sanitized. */
  printExactly(text: string): void
  /** Draws over the previous output, line by line, to avoid flicker. */
  redraw(lines: readonly string[]): void
  note(text: string): void
  ask(question: string): Promise<string>
  paint(style: Style, text: string): string
}

type Streams = Pick<NodeJS.Process, 'env' | 'stdin' | 'stdout' | 'stderr'>

export function processIo({ env, stdin, stdout, stderr }: Streams = process): Io {
  // A reader such as head closes the pipe when it has seen enough. That is not an error.
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
    print: (text) => void stdout.write(`${render(text)}\n`),
    printExactly: (text) => void stdout.write(`${stdout.isTTY ? render(text) : text}\n`),
    redraw: (lines) =>
      void stdout.write(`\u001b[H${lines.map((line) => `${render(line)}\u001b[K`).join('\n')}\u001b[J\n`),
    note: (text) => void stderr.write(`${render(text)}\n`),
    async ask(question) {
      const { createInterface } = await import('node:readline/promises')
      const terminal = createInterface({ input: stdin, output: stderr })
      // A terminal in prompt mode doesn't turn Ctrl-C into a signal.
      terminal.on('SIGINT', () => {
        terminal.close()
        process.kill(process.pid, 'SIGINT')
      })
      try {
        return await terminal.question(render(question))
      } finally {
        terminal.close()
      }
    },
    paint: (style, text) => (hasColor ? mark(style, text) : text),
  }
}
