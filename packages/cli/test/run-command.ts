import { PassThrough, Writable } from 'node:stream'
import { processIo } from '../src/io.ts'
import { runCommandLine } from '../src/command-line/run-command-line.ts'

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

/** Runs `skein …` in this process, with nobody to answer questions: much faster than a separate process. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
): Promise<CommandRun> {
  const [stdout, stderr] = [new CapturedStream(), new CapturedStream()]
  const stdin = new PassThrough()
  stdin.end(input)
  const io = processIo({ env, stdin, stdout, stderr } as unknown as NodeJS.Process)
  const exitCode = await runCommandLine(args, io)
  return { stdout: stdout.text, stderr: stderr.text, exitCode }
}
