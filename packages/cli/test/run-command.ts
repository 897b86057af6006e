import { PassThrough, Writable } from 'node:stream'
import { createProgram } from '../src/program.ts'
import { reportError } from '../src/report-error.ts'
import { processIo } from '../src/io.ts'
import { suggestNames } from '../src/suggest-names.ts'

class CapturedStream extends Writable {
  readonly isTTY = false
  text = ''

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

export interface CommandRun {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

/** Runs `skein …` in this process, with nothing for a person to answer: much faster than a process of its own. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandRun> {
  const [stdout, stderr] = [new CapturedStream(), new CapturedStream()]
  const stdin = new PassThrough()
  stdin.end()
  const io = processIo({ env, stdin, stdout, stderr } as unknown as NodeJS.Process)
  const { program, context } = createProgram(io, args)
  let exitCode: number
  try {
    await program.parseAsync(args, { from: 'user' })
    exitCode = context.exitCode
  } catch (error) {
    exitCode = await reportError(error, context)
    await suggestNames(error, context)
  }
  return { stdout: stdout.text, stderr: stderr.text, exitCode }
}
