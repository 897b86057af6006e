import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chown, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { CollectedOutput } from '../../src/sandbox/collect-output.ts'
import type { SandboxNetwork } from '../../src/sandbox/sandbox.ts'

const execute = promisify(execFile)

type Child = ChildProcessByStdio<null, Readable, Readable>

/** Nobody's: the runner of these tests is an ordinary user. */
export const USER_ID = 54_321

/** Where things are in this world. Each answers on port 80 with the address that was reached. */
export const places = {
  internet: '93.184.216.34',
  internet6: '2606:2800::1',
  metadata: '169.254.169.254',
  metadata6: 'fd00:ec2::254',
  azureMetadata: '168.63.129.16',
  linkLocal: '169.254.7.7',
  privateTen: '10.9.8.7',
  privateTwelve: '172.16.5.5',
  privateSixteen: '192.168.7.7',
  carrier: '100.64.1.1',
  uniqueLocal: 'fd12::7',
  /** The runner's host, as others see it. */
  host: '198.41.0.2',
  host6: '2a00:1::2',
} as const

const UPLINK = { host: '198.41.0.2/24', world: '198.41.0.1', host6: '2a00:1::2/64', world6: '2a00:1::1' }

export interface SandboxRequest {
  readonly script: string
  readonly allowedRanges?: readonly string[]
  readonly network?: SandboxNetwork
  /** The PATH of the runner: without some programs of the system. */
  readonly path?: string
}

/**
 * Two network namespaces of the test's own: a host with a runner, and a world around it. They are gone with their
 * processes. Only root can make them.
 */
export class NetworkWorld {
  readonly #children: Child[] = []
  readonly #dir: string
  #host = 0

  private constructor(dir: string) {
    this.#dir = dir
  }

  static async start(): Promise<NetworkWorld> {
    const world = new NetworkWorld(await mkdtemp('/var/tmp/skein-network-'))
    await chown(world.#dir, USER_ID, USER_ID)
    await world.#build()
    return world
  }

  async stop(): Promise<void> {
    for (const child of this.#children.reverse()) {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
    await rm(this.#dir, { recursive: true, force: true })
  }

  /** Runs a script in a sandbox with an open network, on that host. */
  async run(request: SandboxRequest): Promise<CollectedOutput> {
    const runner = await this.startRunner(request)
    const [said, complaint] = await Promise.all([text(runner.stdout), text(runner.stderr)])
    if (said === '') throw new Error(`The runner said nothing: ${complaint}`)
    return JSON.parse(said) as CollectedOutput
  }

  /** A directory with these programs of the system and no others, for a PATH. */
  async addPrograms(...names: readonly string[]): Promise<string> {
    const dir = join(this.#dir, randomBytes(4).toString('hex'))
    await mkdir(dir)
    for (const name of names) await symlink(`/usr/bin/${name}`, join(dir, name))
    return dir
  }

  async startRunner(request: SandboxRequest): Promise<Child> {
    const base = join(this.#dir, randomBytes(4).toString('hex'))
    await mkdir(base)
    await chown(base, USER_ID, USER_ID)
    const script = fileURLToPath(new URL('./run-in-sandbox.ts', import.meta.url))
    const user = ['/usr/bin/setpriv', `--reuid=${USER_ID}`, `--regid=${USER_ID}`, '--clear-groups']
    const child = this.#spawnIn(
      this.#host,
      [...user, process.execPath, script, base, JSON.stringify(request)],
      {
        PATH: request.path ?? process.env['PATH'] ?? '',
      },
    )
    return child
  }

  async #build(): Promise<void> {
    const resolver = join(this.#dir, 'resolv.conf')
    await writeFile(resolver, 'nameserver 127.0.0.1\n', { mode: 0o644 })
    this.#host = await this.#addNamespace()
    const world = await this.#addNamespace()
    const name = randomBytes(4).toString('hex')
    const [inHost, inWorld] = [`h${name}`, `w${name}`]
    await execute('ip', [
      'link',
      'add',
      inHost,
      'netns',
      String(this.#host),
      'type',
      'veth',
      'peer',
      'name',
      inWorld,
      'netns',
      String(world),
    ])
    await this.#configure(this.#host, [
      `mount --bind ${resolver} /etc/resolv.conf`,
      `ip link set lo up; ip link set ${inHost} up`,
      `ip addr add ${UPLINK.host} dev ${inHost}; ip -6 addr add ${UPLINK.host6} dev ${inHost} nodad`,
      `ip route add default via ${UPLINK.world}; ip -6 route add default via ${UPLINK.world6}`,
    ])
    const { host: _host, host6: _host6, ...others } = places
    await this.#configure(world, [
      `ip link set lo up; ip link set ${inWorld} up`,
      `ip addr add ${UPLINK.world}/24 dev ${inWorld}; ip -6 addr add ${UPLINK.world6}/64 dev ${inWorld} nodad`,
      ...Object.values(others).map((address) =>
        address.includes(':')
          ? `ip -6 addr add ${address}/128 dev ${inWorld} nodad`
          : `ip addr add ${address}/32 dev ${inWorld}`,
      ),
    ])
    await this.#listenIn(this.#host)
    await this.#listenIn(world)
  }

  async #addNamespace(): Promise<number> {
    const child = this.#spawn('unshare', ['--net', '--mount', 'sh', '-c', 'echo ready; exec sleep 3600'], {})
    await once(child.stdout, 'data')
    return child.pid ?? 0
  }

  async #configure(namespace: number, commands: readonly string[]): Promise<void> {
    const inside = ['--target', String(namespace), '--net', '--mount', 'sh', '-e', '-c', commands.join('\n')]
    await execute('nsenter', inside)
  }

  async #listenIn(namespace: number): Promise<void> {
    const script = fileURLToPath(new URL('./network-listeners.ts', import.meta.url))
    const child = this.#spawnIn(namespace, [process.execPath, script], {})
    await once(child.stdout, 'data')
  }

  #spawnIn(namespace: number, command: readonly string[], env: Readonly<Record<string, string>>): Child {
    return this.#spawn(
      '/usr/bin/nsenter',
      ['--target', String(namespace), '--net', '--mount', '--', ...command],
      env,
    )
  }

  #spawn(program: string, args: readonly string[], env: Readonly<Record<string, string>>): Child {
    const PATH = process.env['PATH'] ?? ''
    const child = spawn(program, args, { env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#children.push(child)
    return child
  }
}
