import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { waitFor } from '@skein/testkit'

const GET_PGBOUNCER = fileURLToPath(new URL('../../../../e2e/pooler/get-pgbouncer.sh', import.meta.url))
/** Kept between runs, and readable for the user that PgBouncer runs as. */
const CACHE = process.env['SKEIN_PGBOUNCER_DIR'] ?? '/var/tmp/skein-pgbouncer'
/** PgBouncer refuses to run as root. */
const USER = 65_534

export interface PgBouncerProcess {
  /** The same database as behind it. */
  readonly url: string
  stop(): Promise<void>
}

/** PgBouncer of a Debian release in front of a database, in transaction mode with few connections. */
export async function startPgBouncer(
  suite: string,
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<PgBouncerProcess> {
  const { stdout } = await promisify(execFile)('sh', [GET_PGBOUNCER, suite, join(CACHE, suite)])
  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  const name = pathname.slice(1)
  const listenPort = await freePort()
  const folder = await mkdtemp('/var/tmp/skein-pgbouncer-run-')
  const path = join(folder, 'pgbouncer.ini')
  const options = {
    listen_addr: '127.0.0.1',
    listen_port: String(listenPort),
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: '4',
    max_client_conn: '200',
    ...settings,
  }
  const lines = Object.entries(options).map(([key, value]) => `${key} = ${value}`)
  const target = `host=${hostname} port=${port} dbname=${name} user=${username} password=${password}`
  await writeFile(path, `[databases]\n${name} = ${target}\n[pgbouncer]\n${lines.join('\n')}\n`)
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const each of [folder, path]) await chown(each, USER, USER)
  const child = spawn(stdout.trim(), [path], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(isRoot && { uid: USER, gid: USER }),
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await waitFor(() => isListening(child, listenPort, () => said), {
    what: 'PgBouncer to listen',
    timeoutMs: 30_000,
  })
  return {
    url: `postgres://anyone@127.0.0.1:${listenPort}/${name}`,
    async stop() {
      const ended = once(child, 'close')
      child.kill('SIGTERM')
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}

async function isListening(child: ChildProcess, port: number, said: () => string): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${said()}`)
  const socket = connect(port, '127.0.0.1')
  const isOpen = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'close').then(() => false),
  ]).catch(() => false)
  socket.destroy()
  return isOpen
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}
