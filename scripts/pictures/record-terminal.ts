import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export const SEQUENCE_START = '\u001b['

interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

/** A command's output on a terminal of this size, with colours. */
export async function recordCommand(
  command: string,
  { columns, rows }: TerminalSize,
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<string> {
  // `script` of util-linux provides a terminal: without one, commands print no colours.
  const sized = `stty cols ${columns} rows ${rows}; ${command}`
  const { stdout } = await promisify(execFile)('script', ['-qefc', sized, '/dev/null'], {
    ...options,
    env: { ...options.env, TERM: 'xterm-256color' },
  })
  return keepColors(stdout.replaceAll('\r', '')).trimEnd()
}

/** Only colours can be drawn, so other escape sequences are removed. */
function keepColors(output: string): string {
  const [text = '', ...sequences] = output.split(SEQUENCE_START)
  return (
    text +
    sequences
      .map((rest) => (/^[\d;]*m/.test(rest) ? SEQUENCE_START + rest : rest.replace(/^[\d;?]*[a-z]/i, '')))
      .join('')
  )
}
