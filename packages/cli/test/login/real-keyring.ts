import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bareEnvironment, waitFor } from '@skein/testkit'
import { askKeyring } from '../../src/keyring/keyring.ts'

/** GNOME's keyring on a bus of its own: an entry of the person who runs the tests is never touched. */
export class RealKeyring {
  readonly env: Readonly<Record<string, string>>
  readonly #folder: string
  readonly #bus: ChildProcess
  #daemon: ChildProcess | undefined

  private constructor(folder: string, bus: ChildProcess, address: string) {
    this.#folder = folder
    this.#bus = bus
    this.env = { DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: join(folder, 'run') }
  }

  static async start(): Promise<RealKeyring> {
    const folder = await mkdtemp(join(tmpdir(), 'skein-keyring-'))
    await mkdir(join(folder, 'run'), { mode: 0o700 })
    const address = `unix:path=${join(folder, 'run', 'bus')}`
    const bus = spawn('dbus-daemon', ['--session', '--nofork', `--address=${address}`, '--print-address'], {
      env: { ...bareEnvironment(), HOME: folder },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await once(bus.stdout, 'data')
    const keyring = new RealKeyring(folder, bus, address)
    await keyring.unlock()
    return keyring
  }

  unlock(): Promise<void> {
    return this.#startDaemon(['--unlock'])
  }

  /** As it is before its owner has typed the password. There is no display to ask on. */
  lock(): Promise<void> {
    return this.#startDaemon([])
  }

  async close(): Promise<void> {
    await end(this.#daemon)
    await end(this.#bus)
    await rm(this.#folder, { recursive: true })
  }

  async #startDaemon(options: readonly string[]): Promise<void> {
    await end(this.#daemon)
    const args = ['--foreground', '--components=secrets', ...options]
    const env = { ...bareEnvironment(), ...this.env, HOME: this.#folder }
    const daemon = spawn('gnome-keyring-daemon', args, { env, stdio: ['pipe', 'ignore', 'ignore'] })
    daemon.stdin.end('password')
    this.#daemon = daemon
    const wanted = options.length > 0 ? 'done' : 'unusable'
    const probe = () => askKeyring({ ...bareEnvironment(), ...this.env }, PROBE)
    await waitFor(async () => (await probe()).kind === wanted, { what: 'keyring', intervalMs: 50 })
  }
}

/** Stored, because a locked keyring need not be unlocked to find nothing. */
const PROBE = { account: 'probe', change: 'x' }

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
