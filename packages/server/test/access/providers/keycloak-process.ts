import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { findFreePort } from '@skein/host'
import { waitFor } from '@skein/testkit'

const VERSION = '26.7.3'
const ADMIN = 'only-for-tests'

/** The folder that e2e/keycloak/get-keycloak.sh filled; undefined if there is none. */
export const KEYCLOAK_DIR = process.env['SKEIN_KEYCLOAK_DIR']

export interface Keycloak {
  readonly url: string
  /** Asks the administration API. */
  send(method: string, path: string, body?: object): Promise<unknown>
  close(): Promise<void>
}

export async function startKeycloak(programs: string): Promise<Keycloak> {
  const [port, health] = [await findFreePort(), await findFreePort()]
  const url = `http://127.0.0.1:${port}`
  const listen = ['--http-host=127.0.0.1', `--http-port=${port}`]
  const management = ['--http-management-host=127.0.0.1', `--http-management-port=${health}`]
  const child = spawn(
    join(programs, `keycloak-${VERSION}`, 'bin', 'kc.sh'),
    ['start-dev', '--db=dev-mem', '--health-enabled=true', ...listen, ...management],
    {
      stdio: 'ignore',
      env: {
        ...process.env,
        KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN,
        KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN,
        JAVA_OPTS_APPEND: '-XX:TieredStopAtLevel=1',
      },
    },
  )
  const exited = once(child, 'exit')
  await waitFor(async () => (await fetch(`${url}/realms/master`).catch(() => undefined))?.ok === true, {
    what: 'Keycloak',
    timeoutMs: 600_000,
    intervalMs: 500,
  })
  return {
    url,
    async send(method, path, body) {
      const response = await fetch(`${url}/admin/realms${path}`, {
        method,
        headers: { authorization: `Bearer ${await adminToken(url)}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return text === '' ? undefined : (JSON.parse(text) as unknown)
    },
    async close() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** A new one for each request: they are valid for a minute only. */
async function adminToken(url: string): Promise<string> {
  const response = await fetch(`${url}/realms/master/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'password',
      client_id: 'admin-cli',
      username: ADMIN,
      password: ADMIN,
    }),
  })
  const { access_token: token } = (await response.json()) as { access_token: string }
  return token
}
