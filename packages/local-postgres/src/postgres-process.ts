import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isAlive, listChildProcesses } from '@skein/host'
import { processEnvironment, type PostgresCluster } from './postgres-cluster.ts'

const logTailLength = 8_000
const startTimeoutMs = 60_000

export class PostgresStartError extends Error {
  override readonly name = 'PostgresStartError'

  /** The port was taken in the meantime, or an earlier postmaster or its backends have not ended yet. */
  readonly transient: boolean

  constructor(reason: string, log: string) {
    super(`PostgreSQL ${reason}. The end of its log:\n${log}`)
    this.transient =
      /could not bind|could not create any TCP|is still in use|lock file .* already exists/.test(log)
  }
}

/** One postmaster, from start to end. */
export class PostgresProcess {
  readonly pid: number
  readonly #child: ChildProcess
  #log = ''

  private constructor(child: ChildProcess, pid: number) {
    this.#child = child
    this.pid = pid
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#log = (this.#log + chunk).slice(-logTailLength)
    })
  }

  static async spawn(
    cluster: PostgresCluster,
    port: number,
    settings: readonly string[],
  ): Promise<PostgresProcess> {
    const child = spawn(
      cluster.binaries.postgres,
      ['-D', cluster.pgdata, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
      {
        ...cluster.user,
        env: processEnvironment,
        stdio: ['ignore', 'ignore', 'pipe'],
        // In its own process group: Ctrl-C must reach the tests before their database.
        detached: true,
      },
    )
    if (child.pid === undefined) await once(child, 'spawn')
    if (child.pid === undefined) throw new Error('PostgreSQL did not start')
    return new PostgresProcess(child, child.pid)
  }

  get log(): string {
    return this.#log
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Reads what pg_ctl reads: the status line of postmaster.pid, if the file belongs to this postmaster. */
  async untilReady(pgdata: string): Promise<void> {
    const giveUpAt = performance.now() + startTimeoutMs
    while (!isReady(pgdata, this.pid)) {
      if (!this.running) {
        await this.#untilLogIsRead()
        throw new PostgresStartError('exited while starting', this.#log)
      }
      if (performance.now() > giveUpAt) {
        await this.kill()
        throw new PostgresStartError(`was not ready after ${startTimeoutMs} ms`, this.#log)
      }
      await pause(10)
    }
    // From here on the server doesn't keep its owner's process alive. The watchdog does the rest.
    this.#child.unref()
    if (this.#child.stderr instanceof Socket) this.#child.stderr.unref()
  }

  async end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    this.#child.ref()
    this.#child.kill(signal)
    await this.#untilExit(20_000)
    if (this.running) await this.kill()
  }

  /** Like a power cut. Kills the backends too, because they could finish their work without the postmaster. */
  async kill(): Promise<void> {
    this.#child.ref()
    this.#child.kill('SIGSTOP')
    const backends = listChildProcesses(this.pid).map(({ pid }) => pid)
    for (const pid of [this.pid, ...backends]) sendKill(pid)
    await this.#untilExit(20_000)
    while (backends.some(isAlive)) await pause(10)
  }

  /** Leaves the backends orphaned until they notice. */
  async killPostmaster(): Promise<void> {
    this.#child.ref()
    this.#child.kill('SIGKILL')
    await this.#untilExit(20_000)
  }

  async #untilExit(timeoutMs: number): Promise<void> {
    const giveUpAt = performance.now() + timeoutMs
    while (this.running && performance.now() < giveUpAt) await pause(10)
  }

  async #untilLogIsRead(): Promise<void> {
    const stderr = this.#child.stderr
    if (stderr !== null && !stderr.closed) await once(stderr, 'close')
  }
}

function isReady(pgdata: string, pid: number): boolean {
  try {
    const lines = readFileSync(join(pgdata, 'postmaster.pid'), 'utf8').split('\n')
    return lines[0] === String(pid) && lines[7]?.trim() === 'ready'
  } catch {
    return false
  }
}

function sendKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended in the meantime.
  }
}
