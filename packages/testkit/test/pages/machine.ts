import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { waitFor } from '@skein/testkit'

const run = promisify(execFile)
const LIMITS = ['--ulimit', 'nofile=20000:20000', '--ulimit', 'nproc=8192:8192']
/** Debian's crun refuses machines with both versions of cgroups. */
const RUNC = '/usr/sbin/runc'
const ENGINE = existsSync(RUNC) ? ['--runtime', RUNC] : []
const INIT = [
  // As on a machine. Otherwise systemd's credentials don't reach their services.
  'mount --make-rshared /',
  // The kernel is the host's.
  'ln -sf /dev/null /etc/systemd/system/systemd-modules-load.service',
  // Debian 13's systemd would refuse hosts with the first version of cgroups.
  'exec /sbin/init SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1',
].join(' && ')
const SUITES = { 12: 'bookworm', 13: 'trixie' } as const
type Debian = keyof typeof SUITES
/** Kept between runs. */
const CACHE = '/var/tmp/skein-pages'
/** The gateway would be the first address, which our pages give to a machine. */
const ADDRESSES = ['--subnet', '10.0.0.0/24', '--gateway', '10.0.0.254']
/** For the commands of one block. Longer than any of them takes, so that a wait for something that never comes ends. */
const COMMANDS_SECONDS = 900

/** What a machine has after an installation of Debian: systemd, apt, and nothing of ours. */
async function buildImage(debian: Debian): Promise<string> {
  const archive = join(CACHE, `debian${debian}.tar`)
  const image = `localhost/skein-page-debian:${debian}`
  await mkdir(CACHE, { recursive: true })
  if (!existsSync(archive)) {
    const packages = '--include=systemd,systemd-sysv,dbus,ca-certificates,apt,iproute2'
    const unfinished = join(CACHE, `unfinished-debian${debian}.tar`)
    await run('mmdebstrap', ['--variant=minbase', packages, SUITES[debian], unfinished])
    await rename(unfinished, archive)
  }
  await run('podman', ['import', '--quiet', archive, image])
  return image
}

/** A network of machines with the addresses of our pages. */
export class Machines {
  readonly #network: string
  readonly #image: string
  readonly #names: string[] = []

  private constructor(network: string, image: string) {
    this.#network = network
    this.#image = image
  }

  static async start(network: string, debian: Debian): Promise<Machines> {
    const image = await buildImage(debian)
    await run('podman', ['network', 'create', ...ADDRESSES, network])
    return new Machines(network, image)
  }

  /** A container with systemd. It has every right, as a machine has: what is tested are the units' own limits. */
  async add(name: string, address: string): Promise<Machine> {
    const container = `${this.#network}-${name}`
    this.#names.push(container)
    const identity = ['--detach', '--name', container, '--hostname', name]
    const place = ['--network', this.#network, '--ip', address]
    const rights = ['--privileged', '--systemd=always', ...LIMITS]
    await run('podman', [...ENGINE, 'run', ...identity, ...place, ...rights, this.#image, 'sh', '-c', INIT])
    const machine = new Machine(container)
    await machine.untilUp()
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

  async untilUp(): Promise<void> {
    await waitFor(() => this.#isUp(), { what: `${this.#container} to start`, timeoutMs: 120_000 })
  }

  /** As if its power failed. */
  async lose(): Promise<void> {
    await run('podman', [...ENGINE, 'kill', '--signal', 'KILL', this.#container])
  }

  async recover(): Promise<void> {
    await run('podman', [...ENGINE, 'start', this.#container])
    await this.untilUp()
  }

  async #isUp(): Promise<boolean> {
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
    const bash = ['timeout', String(COMMANDS_SECONDS), 'bash', '-eu', '-o', 'pipefail', '-c', commands]
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
