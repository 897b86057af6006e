import { PassThrough, Writable } from 'node:stream'
import { createProgram } from '../../src/command-line/program.ts'
import { reportError } from '../../src/report-error.ts'
import { processIo } from '../../src/io.ts'
import { suggestNames } from '../../src/command-line/suggest-names.ts'

class FakeTerminal extends Writable {
  readonly isTTY = true
  readonly rows = 50
  readonly columns = 120
  text = ''

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

/** Runs a command as on a terminal, and answers with all that the terminal was sent. */
export async function runOnTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const terminal = new FakeTerminal()
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  stdin.end('y\n')
  const io = processIo({ env, stdin, stdout: terminal, stderr: terminal } as unknown as NodeJS.Process)
  const { program, context } = createProgram(io, args)
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    await reportError(error, context)
    await suggestNames(error, context)
  }
  return terminal.text
}

/** Every command that can be given, such as `queue ls`. */
export function commandNames(): string[] {
  const { program } = createProgram(processIo())
  return program.commands.flatMap((command) =>
    command.commands.length === 0
      ? [command.name()]
      : command.commands.map((below) => `${command.name()} ${below.name()}`),
  )
}
