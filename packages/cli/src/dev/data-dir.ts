import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { tryLock, waitForLock, type HeldLock } from './host-lock.ts'
import { DevError } from './options.ts'

/** Longer than a supervisor takes to end its program when its `skein dev` was killed. */
const LEFTOVERS_TIMEOUT_MS = 20_000

const PROGRAM_NAMES = ['server', 'simulator', 'runner'] as const
export type ProgramName = (typeof PROGRAM_NAMES)[number]

/** Where everything of one local Skein is kept. */
export class DataDir {
  /** As the person named it, for messages. */
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

  /** Held by the supervisor of the program for as long as the program runs. */
  lock(program: ProgramName): string {
    return join(this.path, 'locks', `${program}.lock`)
  }

  /** Takes it for this process, or says who has it. */
  async open(): Promise<HeldLock> {
    // Open on the way in: started by root, PostgreSQL runs as another user. What is secret is closed by itself.
    await mkdir(join(this.path, 'locks'), { recursive: true })
    await mkdir(join(this.path, 'logs'), { recursive: true, mode: 0o700 })
    const held = tryLock(join(this.path, 'locks', 'dev.lock'))
    if (held === undefined) {
      throw new DevError(
        `skein dev is already running on ${this.name} (process ${this.#readPid()}). Stop it first, or choose ` +
          'another folder with --data-dir and another port with --port.',
      )
    }
    await writeFile(this.#pidFile, String(process.pid))
    return held
  }

  /** After a SIGKILL the programs of the start before need a moment to notice. */
  async untilNothingIsLeft(): Promise<void> {
    for (const program of PROGRAM_NAMES) {
      const held = await waitForLock(this.lock(program), LEFTOVERS_TIMEOUT_MS)
      if (held === undefined) {
        throw new DevError(`The ${program} of an earlier skein dev is still running on ${this.name}.`)
      }
      held.release()
    }
  }

  /** Only what is ours, so that a folder named by mistake loses nothing else. Locks stay: we hold one of them. */
  async clear(): Promise<void> {
    const names = [this.postgres, this.runner, this.sampleRepository, this.state]
    const ours = [...names, join(this.path, 'profile.json'), join(this.path, 'logs')]
    for (const path of ours) await rm(path, { recursive: true, force: true, maxRetries: 10 })
    await mkdir(join(this.path, 'logs'), { mode: 0o700 })
  }

  get #pidFile(): string {
    return join(this.path, 'locks', 'dev.pid')
  }

  #readPid(): string {
    return existsSync(this.#pidFile) ? readFileSync(this.#pidFile, 'utf8') : 'unknown'
  }
}
