import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findFreePorts, isAlive, listChildProcesses } from '@skein/host'
import { waitFor } from '@skein/testkit'
import { replaceEach, startHaproxy } from './haproxy.ts'
import { requireProgram, type Need } from './needs.ts'
import { POSTGRES } from './postgres-programs.ts'
import { Program } from './program.ts'

export const PATRONI: Need = { program: 'patroni', debian: 'patroni' }
export const ETCD: Need = { program: 'etcd', debian: 'etcd-server' }

const PASSWORD = 'change-me-3'
const START_MS = 120_000

/** Two members of a PostgreSQL cluster, etcd, and HAProxy in front: with the files that our pages show. */
export class PatroniCluster {
  readonly #members: readonly Member[]
  readonly #others: readonly Program[]
  /** Always leads to the primary, as its superuser. */
  readonly url: string

  private constructor(members: readonly Member[], others: readonly Program[], url: string) {
    this.#members = members
    this.#others = others
    this.url = url
  }

  static async start(
    { root, folder }: { root: string; folder: string },
    { isSynchronous }: { isSynchronous: boolean },
  ): Promise<PatroniCluster> {
    const user = postgresUser()
    chownSync(folder, user.uid, user.gid)
    const [client = 0, peer = 0, balancer = 0, ...ports] = await findFreePorts(7)
    const etcd = startEtcd(folder, { client, peer })
    await etcd.untilListening(client)
    const [first = 0, firstApi = 0, second = 0, secondApi = 0] = ports
    const members = [
      new Member({
        root,
        folder,
        user,
        etcd: client,
        isSynchronous,
        name: 'pg1',
        port: first,
        api: firstApi,
      }),
      new Member({
        root,
        folder,
        user,
        etcd: client,
        isSynchronous,
        name: 'pg2',
        port: second,
        api: secondApi,
      }),
    ]
    const text = replaceEach(readFileSync(join(root, 'deploy/patroni/haproxy.cfg'), 'utf8'), [
      ['bind 127.0.0.1:5000', `bind 127.0.0.1:${balancer}`],
      ['10.0.0.1:5432 check port 8008', `127.0.0.1:${first} check port ${firstApi}`],
      ['10.0.0.2:5432 check port 8008', `127.0.0.1:${second} check port ${secondApi}`],
      ['maxconn 2000', 'maxconn 400'],
    ])
    const haproxy = startHaproxy('database', text, folder)
    const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${balancer}/postgres`
    const cluster = new PatroniCluster(members, [haproxy, etcd], url)
    for (const member of members) member.start()
    await cluster.untilComplete()
    return cluster
  }

  get leader(): Member | undefined {
    return this.#members.find(({ role }) => role === 'leader')
  }

  /** There is a primary, and a standby that can take over. */
  async untilComplete(): Promise<void> {
    await waitFor(
      async () => {
        for (const member of this.#members) await member.look()
        const roles = this.#members.map(({ role }) => role).sort()
        return roles.join() === 'leader,standby'
      },
      { what: 'a primary and a standby', timeoutMs: START_MS, intervalMs: 250 },
    )
  }

  /** Somebody else than the former leader is the primary. */
  async untilReplaced(former: Member): Promise<void> {
    await waitFor(
      async () => {
        for (const member of this.#members) await member.look()
        return this.leader !== undefined && this.leader !== former
      },
      { what: 'another primary', timeoutMs: START_MS, intervalMs: 100 },
    )
  }

  async stop(): Promise<void> {
    for (const member of this.#members) await member.stop()
    for (const program of this.#others) await program.end()
  }
}

interface MemberOptions {
  readonly root: string
  readonly folder: string
  readonly user: { readonly uid: number; readonly gid: number }
  readonly name: string
  readonly port: number
  /** Patroni's port. */
  readonly api: number
  readonly etcd: number
  readonly isSynchronous: boolean
}

/** One PostgreSQL with its Patroni. */
class Member {
  readonly #options: MemberOptions
  readonly #config: string
  readonly #data: string
  #patroni: Program | undefined
  readonly #onExit = (): void => this.#killPostgres()
  role: 'leader' | 'standby' | 'none' = 'none'

  constructor(options: MemberOptions) {
    const { root, folder, user, name, port, api, etcd, isSynchronous } = options
    this.#options = options
    const home = join(folder, name)
    mkdirSync(home, { mode: 0o700 })
    this.#data = join(home, 'data')
    this.#config = join(home, 'patroni.yml')
    const text = replaceEach(readFileSync(join(root, 'deploy/patroni/patroni.yml'), 'utf8'), [
      ['10.0.0.1:2379,10.0.0.2:2379,10.0.0.3:2379', `127.0.0.1:${etcd}`],
      ['name: pg1', `name: ${name}`],
      ['10.0.0.1:8008', `127.0.0.1:${api}`],
      ['10.0.0.1:5432', `127.0.0.1:${port}`],
      ['10.0.0.0/24', '127.0.0.1/32'],
      ['/var/lib/postgresql/15/skein', this.#data],
      ['/usr/lib/postgresql/15/bin', dirname(requireProgram(POSTGRES))],
      ['/var/lib/postgresql/pgpass', join(home, 'pgpass')],
      ['/var/run/postgresql', home],
      ...(isSynchronous ? [] : ([['synchronous_mode: true', 'synchronous_mode: false']] as const)),
    ])
    writeFileSync(this.#config, text, { mode: 0o600 })
    for (const path of [home, this.#config]) chownSync(path, user.uid, user.gid)
  }

  start(): void {
    const { name, folder, user } = this.#options
    this.#patroni = new Program({
      name,
      command: [requireProgram(PATRONI), this.#config],
      logFile: join(folder, `${name}.log`),
      user,
    })
    process.once('exit', this.#onExit)
  }

  /** Asks Patroni what the member is. */
  async look(): Promise<void> {
    const { api, isSynchronous } = this.#options
    const says = async (path: string): Promise<boolean> => {
      const response = await fetch(`http://127.0.0.1:${api}${path}`).catch(() => undefined)
      await response?.arrayBuffer()
      return response?.status === 200
    }
    if (await says('/primary')) this.role = 'leader'
    else this.role = (await says(isSynchronous ? '/synchronous' : '/replica')) ? 'standby' : 'none'
  }

  /**
   * As if the machine had lost power, after the network to its standby was already gone for a while: whatever was
   * acknowledged in between must not have been the leader's alone.
   */
  async lose(silentMs: number): Promise<void> {
    for (const { pid } of this.#processes().filter(({ command }) => command.includes('walsender'))) {
      process.kill(pid, 'SIGSTOP')
    }
    await pause(silentMs)
    await this.#patroni?.end('SIGKILL')
    this.#killPostgres()
    this.role = 'none'
  }

  async stop(): Promise<void> {
    await this.#patroni?.end('SIGTERM')
    this.#killPostgres()
    process.off('exit', this.#onExit)
  }

  get #postmaster(): number {
    try {
      return Number(readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n')[0])
    } catch {
      return 0
    }
  }

  #processes(): { pid: number; command: string }[] {
    const pid = this.#postmaster
    return pid === 0 || !isAlive(pid) ? [] : listChildProcesses(pid)
  }

  #killPostgres(): void {
    const pid = this.#postmaster
    for (const each of [pid, ...this.#processes().map((child) => child.pid)]) {
      if (each > 0 && isAlive(each)) process.kill(each, 'SIGKILL')
    }
  }
}

function startEtcd(folder: string, { client, peer }: { client: number; peer: number }): Program {
  const clientUrl = `http://127.0.0.1:${client}`
  const peerUrl = `http://127.0.0.1:${peer}`
  return new Program({
    name: 'etcd',
    command: [
      requireProgram(ETCD),
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${clientUrl}`,
      `--advertise-client-urls=${clientUrl}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
    ],
    logFile: join(folder, 'etcd.log'),
  })
}

/** PostgreSQL refuses to run as root. Debian's package creates this user. */
function postgresUser(): { uid: number; gid: number } {
  if (process.getuid?.() === 0) return { uid: readId('-u'), gid: readId('-g') }
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
}

function readId(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
}
