import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { waitFor } from '@skein/testkit'

const run = promisify(execFile)
const LIMITS = ['--ulimit', 'nofile=20000:20000', '--ulimit', 'nproc=8192:8192']
/** Debian's crun refuses machines with both versions of cgroups. */
const RUNC = '/usr/sbin/runc'
const ENGINE = existsSync(RUNC) ? ['--runtime', RUNC] : []
/** As on a machine. Otherwise systemd's credentials don't reach their services. */
const INIT = ['sh', '-c', 'mount --make-rshared / && exec /sbin/init']
const IMAGE = 'localhost/skein-page-debian:12'
/** Kept between runs. */
const CACHE = '/var/tmp/skein-pages'

/** What a machine has after an installation of Debian: systemd, apt, and nothing of ours. */
async function buildImage(): Promise<void> {
  const archive = join(CACHE, 'debian12.tar')
  await mkdir(CACHE, { recursive: true })
  if (!existsSync(archive)) {
    const packages = '--include=systemd,systemd-sysv,dbus,ca-certificates,apt,iproute2'
    await run('mmdebstrap', ['--variant=minbase', packages, 'bookworm', archive])
  }
  await run('podman', ['import', '--quiet', archive, IMAGE])
}

/** A network of machines with their own addresses. */
export class Machines {
  readonly #network: string
  readonly #names: string[] = []

  private constructor(network: string) {
    this.#network = network
  }

  static async start(network: string, subnet: string): Promise<Machines> {
    await buildImage()
    await run('podman', ['network', 'create', '--subnet', subnet, network])
    return new Machines(network)
  }

  /** A container with systemd. It has every right, as a machine has: what is tested are the units' own limits. */
  async add(name: string, address: string): Promise<Machine> {
    const container = `${this.#network}-${name}`
    this.#names.push(container)
    const identity = ['--detach', '--name', container, '--hostname', name]
    const place = ['--network', this.#network, '--ip', address]
    const rights = ['--privileged', '--systemd=always', ...LIMITS]
    await run('podman', [...ENGINE, 'run', ...identity, ...place, ...rights, IMAGE, ...INIT])
    const machine = new Machine(container)
    await waitFor(() => machine.isUp(), { what: `${name} to start`, timeoutMs: 60_000 })
    return machine
  }

  async remove(): Promise<void> {
    for (const name of this.#names)
      await run('podman', [...ENGINE, 'rm', '--force', '--time', '1', '--volumes', name])
    await run('podman', ['network', 'rm', this.#network])
  }
}

export class Machine {
  readonly #container: string

  constructor(container: string) {
    this.#container = container
  }

  async isUp(): Promise<boolean> {
    const state = await run('podman', [
      ...ENGINE,
      'exec',
      this.#container,
      'systemctl',
      'is-system-running',
    ]).catch(() => undefined)
    return state?.stdout.trim() === 'running'
  }

  /** As root in /root. Fails with everything that was printed if one of the commands fails. */
  async execute(commands: string): Promise<string> {
    const bash = ['bash', '-eu', '-o', 'pipefail', '-c', commands]
    const options = ['--workdir', '/root', '--env', 'DEBIAN_FRONTEND=noninteractive']
    const { stdout } = await run('podman', [...ENGINE, 'exec', ...options, this.#container, ...bash], {
      maxBuffer: 64 * 1024 * 1024,
    })
    return stdout
  }

  async copyIn(from: string, to: string): Promise<void> {
    await run('podman', ['cp', from, `${this.#container}:${to}`])
  }

  async copyOut(from: string, to: string): Promise<void> {
    await run('podman', ['cp', `${this.#container}:${from}`, to])
  }
}
