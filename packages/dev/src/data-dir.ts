import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { tryLock, waitForLock, type HeldLock } from '@skein/host'
import { DevError } from './dev-error.ts'

/** Longer than a supervisor takes to end its program after its `skein dev` was killed. */
const LEFTOVERS_TIMEOUT_MS = 20_000

/** Each program gets 20 s to end, one after the other. */
const STOP_TIMEOUT_MS = 90_000

const PROGRAM_NAMES = ['server', 'simulator', 'runner'] as const
export type ProgramName = (typeof PROGRAM_NAMES)[number]

/** The folder with everything of one local Skein. */
export class DataDir {
  /** As the user named it, for messages. */
  readonly name: string
  readonly path: string

  constructor(name: string) {
    this.name = name
    this.path = resolve(name)
  }

  get postgres(): string {
    return join(this.path, 'postgres')
  }

  get runner(): string {
    return join(this.path, 'runner')
  }

  get sampleRepository(): string {
    return join(this.path, 'sample.git')
  }

  /** Keys and passwords: mode 0600. */
  get state(): string {
    return join(this.path, 'dev.json')
  }

  log(program: ProgramName): string {
    return join(this.path, 'logs', `${program}.log`)
  }

  /** Held by the program's supervisor while the program runs. */
  lock(program: ProgramName): string {
    return join(this.path, 'locks', `${program}.lock`)
  }

  /** Takes it for this process, or says who has it. */
  async open(): Promise<HeldLock> {
    // Accessible: if root starts it, PostgreSQL runs as another user. Secret files have their own mode.
    await mkdir(join(this.path, 'locks'), { recursive: true })
    await mkdir(join(this.path, 'logs'), { recursive: true, mode: 0o700 })
    const held = tryLock(this.#devLock)
    if (held === undefined) {
      throw new DevError(
        `skein dev is already running on ${this.name} (process ${this.#readPid()}). Stop it first, or choose ` +
          'another folder with --data-dir and another port with --port.',
      )
    }
    await writeFile(this.#pidFile, String(process.pid))
    return held
  }

  /** After a SIGKILL, the programs of the previous start need a moment to notice. */
  async untilNothingIsLeft(): Promise<void> {
    for (const program of PROGRAM_NAMES) {
      const held = await waitForLock(this.lock(program), LEFTOVERS_TIMEOUT_MS)
      if (held === undefined) {
        throw new DevError(`The ${program} of an earlier skein dev is still running on ${this.name}.`)
      }
      held.release()
    }
  }

  /** Only our own files, so that a folder named by mistake loses nothing else. Locks stay: we hold one of them. */
  async clear(): Promise<void> {
    const names = [this.postgres, this.runner, this.sampleRepository, this.state]
    await remove([...names, join(this.path, 'profile.json'), join(this.path, 'logs')])
    await mkdir(join(this.path, 'logs'), { mode: 0o700 })
  }

  /** Waits until the `skein dev` that was told to stop has ended with all its programs. */
  async untilStopped(): Promise<void> {
    const held = await waitForLock(this.#devLock, STOP_TIMEOUT_MS)
    if (held === undefined) {
      throw new DevError(`skein dev (process ${this.#readPid()}) is still running on ${this.name}.`)
    }
    held.release()
    await this.untilNothingIsLeft()
  }

  /** After it has stopped. The folder itself stays if it contains anything else. */
  async remove(): Promise<void> {
    await this.clear()
    await remove([join(this.path, 'logs'), join(this.path, 'locks')])
    await rmdir(this.path).catch(() => {})
  }

  get #devLock(): string {
    return join(this.path, 'locks', 'dev.lock')
  }

  get #pidFile(): string {
    return join(this.path, 'locks', 'dev.pid')
  }

  #readPid(): string {
    return existsSync(this.#pidFile) ? readFileSync(this.#pidFile, 'utf8') : 'unknown'
  }
}

async function remove(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { recursive: true, force: true, maxRetries: 10 })
}
