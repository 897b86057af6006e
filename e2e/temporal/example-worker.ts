import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitFor } from '@skein/testkit'

/** The example's worker. */
export class ExampleWorker {
  readonly #process: ChildProcess

  private constructor(child: ChildProcess) {
    this.#process = child
  }

  static async start(project: string, env: Readonly<Record<string, string>>): Promise<ExampleWorker> {
    const logFile = join(project, `worker-${Date.now()}.log`)
    const log = openSync(logFile, 'a')
    const child = spawn(process.execPath, ['worker.ts'], {
      cwd: project,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
      stdio: ['ignore', log, log],
    })
    process.once('exit', () => child.kill('SIGKILL'))
    await waitFor(() => /^ready$/m.test(readFileSync(logFile, 'utf8')), {
      what: `the worker, see ${logFile}`,
      timeoutMs: 120_000,
      intervalMs: 50,
    })
    return new ExampleWorker(child)
  }

  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  /** As a deployment does. */
  shutDown(): Promise<void> {
    return this.#end('SIGTERM')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const exited = once(this.#process, 'exit')
    this.#process.kill(signal)
    await exited
  }
}
