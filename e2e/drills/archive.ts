import { execFile } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startPostgresServer, waitFor, type PostgresServer } from '@skein/testkit'
import { Client } from 'pg'
import { replaceEach } from './haproxy.ts'
import { useDebianPostgres } from './postgres-programs.ts'

const run = promisify(execFile)
const ARCHIVE = '/var/backups/skein/wal'

/** A PostgreSQL with continuous archiving, as our pages set it up, and what was backed up of it. */
export class ArchivedPostgres {
  readonly #root: string
  readonly #folder: string
  readonly #programs: string
  readonly postgres: PostgresServer

  private constructor(facts: { root: string; folder: string; programs: string; postgres: PostgresServer }) {
    this.#root = facts.root
    this.#folder = facts.folder
    this.#programs = facts.programs
    this.postgres = facts.postgres
  }

  static async start({ root, folder }: { root: string; folder: string }): Promise<ArchivedPostgres> {
    const programs = useDebianPostgres()
    chmodSync(folder, 0o755)
    const archive = join(folder, 'wal')
    mkdirSync(archive)
    // PostgreSQL doesn't run as root, so it must be able to write here.
    chmodSync(archive, 0o777)
    const settings = readSettings(root, 'archiving.conf', [[ARCHIVE, archive]])
    const postgres = await startPostgresServer({ durable: true, settings, dataDir: join(folder, 'original') })
    return new ArchivedPostgres({ root, folder, programs, postgres })
  }

  get archive(): string {
    return join(this.#folder, 'wal')
  }

  async takeBaseBackup(): Promise<void> {
    const backup = join(this.#folder, 'base')
    await run(join(this.#programs, 'pg_basebackup'), [
      `--dbname=${this.postgres.url()}`,
      `--pgdata=${backup}`,
      '--checkpoint=fast',
      '--wal-method=none',
    ])
  }

  async now(): Promise<Date> {
    const [row] = await this.#query<{ now: Date }>('select clock_timestamp() as now')
    if (row === undefined) throw new Error('PostgreSQL has no time')
    return row.now
  }

  /** Lets everything written so far reach the archive, as `archive_timeout` does after a while. */
  async switchFile(): Promise<string> {
    const [row] = await this.#query<{ file: string }>('select pg_walfile_name(pg_switch_wal()) as file')
    const file = row?.file ?? ''
    await waitFor(() => statSync(join(this.archive, file), { throwIfNoEntry: false }) !== undefined, {
      what: `${file} to be archived`,
      timeoutMs: 60_000,
    })
    return file
  }

  /** Another PostgreSQL on the same port, with the data of that moment. */
  async restoreTo(time: Date): Promise<PostgresServer> {
    const restored = join(this.#folder, 'restored')
    const original = this.postgres.dataDir
    const { uid, gid } = statSync(join(original, 'pgdata'))
    mkdirSync(restored, { mode: 0o700 })
    copyFileSync(join(original, 'password'), join(restored, 'password'))
    await run('cp', ['-a', join(this.#folder, 'base'), join(restored, 'pgdata')])
    writeFileSync(join(restored, 'pgdata/recovery.signal'), '')
    await run('chown', ['-R', `${uid}:${gid}`, restored])
    chmodSync(join(restored, 'pgdata'), 0o700)
    const settings = readSettings(this.#root, 'recovery.conf', [
      [ARCHIVE, this.archive],
      // While it starts, PostgreSQL knows no names of time zones, not even Z.
      ['2026-11-17 10:00:00+00', time.toISOString().replace('Z', '+00')],
    ])
    return startPostgresServer({ durable: true, settings, dataDir: restored, port: this.postgres.port })
  }

  async #query<Row extends object>(text: string): Promise<Row[]> {
    const client = new Client({ connectionString: this.postgres.url() })
    await client.connect()
    try {
      return (await client.query<Row>(text)).rows
    } finally {
      await client.end()
    }
  }
}

/** The lines of a file in deploy/postgresql as options for the command line. */
function readSettings(
  root: string,
  file: string,
  changes: readonly (readonly [find: string, by: string])[],
): string[] {
  return replaceEach(readFileSync(join(root, 'deploy/postgresql', file), 'utf8'), changes)
    .split('\n')
    .filter((line) => /^[a-z]/.test(line))
    .map((line) => line.replace(/^(\w+) = '?(.*?)'?$/, '$1=$2'))
}
