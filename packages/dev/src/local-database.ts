import { setTimeout as pause } from 'node:timers/promises'
import { isAlive } from '@skein/host'
import { createServerLogin, startPostgresServer, type PostgresServer } from '@skein/local-postgres'
import type { DataDir } from './data-dir.ts'
import { DevError } from './dev-error.ts'

const LOOK_EVERY_MS = 500

/** PostgreSQL on the existing data. */
export class LocalDatabase {
  readonly #server: PostgresServer
  readonly #stopped = new AbortController()

  private constructor(server: PostgresServer) {
    this.#server = server
  }

  static async start(dataDir: DataDir): Promise<LocalDatabase> {
    try {
      return new LocalDatabase(await startPostgresServer({ dataDir: dataDir.postgres, durable: true }))
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      if (!problem.includes('ermission denied')) throw error
      throw new DevError(
        'Started as root, PostgreSQL runs as another user, which needs access to the data. Choose a folder that ' +
          `everyone can enter: skein dev --data-dir /var/tmp/skein\n\n${problem}`,
      )
    }
  }

  get ownerUrl(): string {
    return this.#server.url()
  }

  serverUrl(password: string): Promise<string> {
    return createServerLogin(this.ownerUrl, { name: 'skein_dev', password })
  }

  /** Resolves when PostgreSQL ends by itself. Never after it was stopped. */
  async untilEnd(): Promise<DevError> {
    const { signal } = this.#stopped
    while (this.#server.pid !== undefined && isAlive(this.#server.pid)) {
      await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => new Promise<never>(() => {}))
    }
    return new DevError(`PostgreSQL exited. The end of its log:\n\n${this.#server.log.trimEnd()}`)
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#server.stop()
  }
}
