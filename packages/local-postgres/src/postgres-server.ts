import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findFreePort } from '@skein/host'
import { prepareCluster, type PostgresCluster } from './postgres-cluster.ts'
import { PostgresProcess, PostgresStartError } from './postgres-process.ts'
import { removeSharedMemory } from './shared-memory.ts'
import { removeStaleLock } from './stale-lock.ts'
import { startWatchdog, type Watchdog } from './watchdog.ts'

export interface PostgresServerOptions {
  /**
   * Survives a power cut. Without it, the server is several times faster and survives only the end of its processes.
   */
  readonly durable?: boolean
  /**
   * Makes the server persistent: the data stays here. Otherwise it uses a temporary directory, deleted with the
   * server.
   */
  readonly dataDir?: string
  /** Where the temporary directory is made. Default: with all others. */
  readonly temporaryIn?: string
  /** Default: a free port. */
  readonly port?: number
  /** Additional lines for postgresql.conf, such as `log_statement=all`. */
  readonly settings?: readonly string[]
}

/**
 * How to kill a server: `every-process` is like a power cut, `postmaster` leaves backends that notice and end a
 * moment later, and `immediate` is PostgreSQL's own shutdown without a checkpoint.
 */
export type PostgresKill = 'every-process' | 'postmaster' | 'immediate'

const startAttempts = 20

const baseSettings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=400',
  'logging_collector=off',
  // As files in the data directory: /dev/shm is tiny in containers, and would keep a killed server's segments.
  'dynamic_shared_memory_type=mmap',
]
const fastSettings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']

/** A real PostgreSQL on the loopback interface. It ends with this process, however this process ends. */
export async function startPostgresServer(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  // Synchronous until the watchdog has started: otherwise, exiting in between would leave the directory behind.
  const { temporaryIn = tmpdir() } = options
  const directory = resolve(options.dataDir ?? mkdtempSync(join(temporaryIn, 'skein-postgres-')))
  const server = new PostgresServer(directory, options)
  await server.start()
  return server
}

export class PostgresServer {
  readonly #directory: string
  readonly #options: PostgresServerOptions
  #port: number | undefined
  #cluster: PostgresCluster | undefined
  #process: PostgresProcess | undefined
  #watchdog: Watchdog | undefined

  constructor(directory: string, options: PostgresServerOptions) {
    this.#directory = directory
    this.#options = options
    this.#port = options.port
  }

  get port(): number {
    if (this.#port === undefined) throw new Error('The PostgreSQL server was never started.')
    return this.#port
  }

  get pid(): number | undefined {
    return this.#process?.pid
  }

  get dataDir(): string {
    return this.#directory
  }

  /** The end of the server's log. */
  get log(): string {
    return this.#process?.log ?? ''
  }

  /** Connects as the superuser. */
  url(database = 'postgres'): string {
    if (this.#cluster === undefined) throw new Error('The PostgreSQL server was never started.')
    const { name, password } = this.#cluster.superuser
    return `postgres://${name}:${password}@127.0.0.1:${this.port}/${database}`
  }

  /** Also works after `kill` and, if persistent, `stop`: same port, same data. */
  async start(): Promise<void> {
    if (this.#process?.running === true) return
    this.#watchdog ??= startWatchdog(this.#endSignal, this.#persistent ? '' : this.#directory)
    try {
      this.#cluster = await prepareCluster({
        directory: this.#directory,
        durable: this.#options.durable === true,
        watch: this.#watchdog.watch,
      })
      removeStaleLock(this.#cluster.pgdata)
      await this.#launch(this.#cluster, this.#watchdog)
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  /** Deletes the data, unless the server is persistent. */
  async stop(): Promise<void> {
    if (this.#process?.running === true) await this.#process.end(this.#endSignal)
    else if (!this.#persistent) await removeSharedMemory(join(this.#directory, 'pgdata'))
    if (!this.#persistent) await rm(this.#directory, { recursive: true, force: true, maxRetries: 10 })
    await this.#watchdog?.dismiss()
    this.#watchdog = undefined
  }

  /** Ends the server without a clean shutdown. Keeps the data. */
  async kill(how: PostgresKill = 'every-process'): Promise<void> {
    if (how === 'every-process') await this.#process?.kill()
    else if (how === 'postmaster') await this.#process?.killPostmaster()
    else await this.#process?.end('SIGQUIT')
    this.#watchdog?.watch(0)
  }

  get #persistent(): boolean {
    return this.#options.dataDir !== undefined
  }

  /** Temporary data need not be written out first. */
  get #endSignal(): 'SIGINT' | 'SIGQUIT' {
    return this.#persistent ? 'SIGINT' : 'SIGQUIT'
  }

  async #launch(cluster: PostgresCluster, watchdog: Watchdog): Promise<void> {
    const settings = [
      ...baseSettings,
      ...(this.#options.durable === true ? [] : fastSettings),
      ...(this.#options.settings ?? []),
    ]
    for (let attempt = 1; ; attempt += 1) {
      const port = this.#port ?? (await findFreePort())
      const started = await PostgresProcess.spawn(cluster, port, settings)
      watchdog.watch(started.pid)
      try {
        await started.untilReady(cluster.pgdata)
        this.#process = started
        this.#port = port
        return
      } catch (error) {
        watchdog.watch(0)
        const again = error instanceof PostgresStartError && error.transient && attempt < startAttempts
        if (!again) throw error
        await pause(250)
      }
    }
  }
}
