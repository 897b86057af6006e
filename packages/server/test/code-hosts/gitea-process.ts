import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findFreePort } from '@skein/host'
import { waitFor } from '@skein/testkit'

const execute = promisify(execFile)
const VERSION = '1.26.0'
/** Gitea refuses to run as root. */
const NOBODY = 65_534

export interface Gitea {
  readonly url: string
  /** Of an administrator. */
  readonly token: string
  send(method: string, path: string, body?: object, as?: string): Promise<unknown>
  /** A user with a token of its own; its name is for `as`. */
  createUser(name: string): Promise<void>
  close(): Promise<void>
}

/** The folder that e2e/gitea/get-gitea.sh filled; undefined if there is none. */
export const GITEA_DIR = process.env['SKEIN_GITEA_DIR']

export async function startGitea(programs: string): Promise<Gitea> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-gitea-'))
  const isRoot = process.getuid?.() === 0
  const ids = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  if (isRoot) await chown(folder, NOBODY, NOBODY)
  await chmod(folder, 0o700)
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const program = join(programs, `gitea-${VERSION}`)
  const config = join(folder, 'app.ini')
  const user = isRoot ? 'nobody' : userInfo().username
  await writeFile(config, settings({ folder, port, user, programs }))
  await mkdir(join(folder, 'data'))
  if (isRoot) for (const path of [config, join(folder, 'data')]) await chown(path, NOBODY, NOBODY)
  const options = { cwd: folder, ...ids, env: { PATH: process.env['PATH'], HOME: folder, USER: user } }
  const run = (...args: string[]) => execute(program, ['--config', config, ...args], options)
  await run('migrate')
  const account = ['--username', 'root1', '--password', 'root1-pw', '--email', 'root1@example.test']
  await run('admin', 'user', 'create', '--admin', ...account, '--must-change-password=false')
  const named = ['--username', 'root1', '--token-name', 't', '--scopes', 'all', '--raw']
  const { stdout } = await run('admin', 'user', 'generate-access-token', ...named)
  // Warnings may come before it.
  const token = stdout.trim().split('\n').at(-1) ?? ''
  const child = spawn(program, ['--config', config, 'web'], { ...options, stdio: 'ignore' })
  const exited = once(child, 'exit')
  const authorizations = new Map([['root1', `token ${token}`]])
  const send = async (method: string, path: string, body?: object, as = 'root1'): Promise<unknown> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: authorizations.get(as) ?? '', 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  await waitFor(async () => (await fetch(`${url}/api/healthz`).catch(() => undefined))?.ok === true, {
    what: 'Gitea',
    timeoutMs: 120_000,
  })
  return {
    url,
    token,
    send,
    async createUser(name) {
      const password = `${name}-password`
      const email = `${name}@example.test`
      await send('POST', '/admin/users', { username: name, email, password, must_change_password: false })
      authorizations.set(name, `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`)
    },
    async close() {
      child.kill('SIGTERM')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function settings({
  folder,
  port,
  user,
  programs,
}: {
  readonly folder: string
  readonly port: number
  readonly user: string
  readonly programs: string
}): string {
  return `APP_NAME = Test
RUN_USER = ${user}
RUN_MODE = prod
WORK_PATH = ${folder}

[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
DOMAIN = 127.0.0.1
ROOT_URL = http://127.0.0.1:${port}/
STATIC_ROOT_PATH = ${join(programs, 'static')}
DISABLE_SSH = true
LFS_START_SERVER = false
OFFLINE_MODE = true

[database]
DB_TYPE = sqlite3
PATH = ${join(folder, 'data', 'gitea.db')}

[security]
INSTALL_LOCK = true
SECRET_KEY = only-for-tests-only-for-tests-only-for-tests
PASSWORD_HASH_ALGO = pbkdf2$1$50
MIN_PASSWORD_LENGTH = 6
PASSWORD_COMPLEXITY = off

[oauth2]
JWT_SECRET = ${'A'.repeat(43)}

[service]
DISABLE_REGISTRATION = true

[webhook]
ALLOWED_HOST_LIST = loopback

[repository]
DEFAULT_BRANCH = main
ROOT = ${join(folder, 'repos')}

[queue]
TYPE = channel

[log]
MODE = console
LEVEL = Warn

[session]
PROVIDER = memory

[actions]
ENABLED = false

[cron]
ENABLED = false
`
}
