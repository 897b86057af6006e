import { spawn, type ChildProcess } from 'node:child_process'
import { createWriteStream, type WriteStream } from 'node:fs'
import { once } from 'node:events'

const DONE = '@done@'

export interface ShellOptions {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  readonly logFile: string
}

/** One shell for all commands of a page, as a reader has it. It ends at the first command that fails. */
export class Shell {
  readonly #child: ChildProcess
  readonly #log: WriteStream
  readonly #onExit = (): void => this.#kill()
  readonly #ended: Promise<unknown>
  #output = ''

  constructor({ folder, env, logFile }: ShellOptions) {
    this.#log = createWriteStream(logFile, { flags: 'a' })
    // In a process group of its own, so that what it started in the background ends with it.
    this.#child = spawn('bash', ['-euo', 'pipefail'], { cwd: folder, env, detached: true })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text
        this.#log.write(text)
      })
    // Not `close`: what runs in the background keeps the output open.
    this.#ended = once(this.#child, 'exit')
    process.once('exit', this.#onExit)
  }

  /** Returns what the commands printed. */
  async run(commands: string): Promise<string> {
    this.#output = ''
    this.#log.write(`\n# ${new Date().toISOString()}\n${commands}`)
    this.#child.stdin?.write(`{ ${commands}\n} </dev/null\necho ${DONE}\n`)
    const done = new Promise<void>((resolve) => {
      const check = (): void => {
        if (!this.#output.includes(DONE)) return
        this.#child.stdout?.off('data', check)
        resolve()
      }
      this.#child.stdout?.on('data', check)
    })
    await Promise.race([done, this.#ended])
    if (!this.#output.includes(DONE))
      throw new Error(`The commands failed:\n${commands}\n${this.#output.slice(-4_000)}`)
    return this.#output.replace(`${DONE}\n`, '')
  }

  end(): void {
    process.off('exit', this.#onExit)
    this.#kill()
    this.#log.end()
  }

  #kill(): void {
    try {
      process.kill(-(this.#child.pid ?? 0), 'SIGKILL')
    } catch {
      // It has ended already.
    }
  }
}
