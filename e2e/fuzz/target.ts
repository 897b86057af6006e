import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { encodeBase64Text } from '@skein/contract'
import { bootstrap } from '@skein/engine'
import { openResources, readConfig } from '@skein/server'
import { migrate } from '@skein/store'
import { createServerLogin, NO_LIMITS, startPostgresServer } from '@skein/testkit'
import type { Plant } from './options.ts'
import type { CallerName } from './requests.ts'
import type { Measured } from './server-process.ts'

/** A real server in a separate process with a real database, and a key for each of the fuzzer's callers. */
export interface Target {
  readonly port: number
  readonly keys: Readonly<Record<CallerName, string | undefined>>
  readonly admin: Admin
  /** What the server's process reports since it was last asked; undefined if it is gone. */
  measure(): Promise<Measured | undefined>
  close(): Promise<void>
}

export async function startTarget(planted: Plant | undefined): Promise<Target> {
  const postgres = await startPostgresServer()
  try {
    const ownerUrl = postgres.url()
    await migrate({ connectionString: ownerUrl })
    const password = randomBytes(16).toString('hex')
    const serverUrl = await createServerLogin(ownerUrl, { name: 'skein_fuzz', password })
    const settings = {
      SKEIN_DATABASE_URL: serverUrl,
      SKEIN_PORT: '0',
      SKEIN_MASTER_KEY: randomBytes(32).toString('base64'),
      SKEIN_LOG_LEVEL: 'error',
      ...NO_LIMITS,
    }
    const owner = openResources(readConfig(settings), ownerUrl)
    const adminKey = await firstKey(owner, 'acme', 'admin')
    const operatorKey = await firstKey(owner, 'acme', 'operator')
    const strangerKey = await firstKey(owner, 'other', 'admin')
    await owner.database.close()
    const child = fork(fileURLToPath(new URL('server-process.ts', import.meta.url)), {
      env: { ...process.env, ...settings, ...(planted && { FUZZ_PLANTED: planted }) },
    })
    const gone = new AbortController()
    child.once('exit', () => gone.abort())
    const [url] = (await once(child, 'message', { signal: gone.signal })) as [string]
    const admin = new Admin(url, adminKey)
    return {
      port: Number(new URL(url).port),
      admin,
      keys: {
        admin: adminKey,
        operator: operatorKey,
        stranger: strangerKey,
        member: await admin.createKey('token', 'fuzz-member', { account: 'member', role: 'member' }),
        viewer: await admin.createKey('token', 'fuzz-viewer', { account: 'viewer', role: 'viewer' }),
        runner: await admin.createKey('token', 'fuzz-runner', { account: 'runner', role: 'runner' }),
        guest: await admin.createKey('share-link', 'fuzz-guest', SHARED),
        directory: await createDirectory(admin),
        forger: adminKey.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
        nobody: undefined,
      },
      measure: () => measure(child, gone.signal),
      async close() {
        if (child.connected) {
          child.send('stop')
          await once(child, 'exit')
        }
        await postgres.stop()
      },
    }
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

const SHARED = { workspace: 'default', agent: ['fuzzed'], account: 'admin' }

async function createDirectory(admin: Admin): Promise<string> {
  await admin.write('secret', 'fuzz-client', { value: 'secret' })
  await admin.write('identity-provider', 'fuzz-sso', {
    title: 'Acme',
    issuer: 'https://sso.example.com',
    clientId: 'skein',
    clientSecret: 'fuzz-client',
    defaultRole: 'member',
  })
  return admin.createKey('directory', 'fuzz-sso', {})
}

async function measure(child: ChildProcess, gone: AbortSignal): Promise<Measured | undefined> {
  try {
    const answer = once(child, 'message', { signal: gone })
    child.send('measure')
    const [measured] = (await answer) as [Measured]
    return measured
  } catch {
    return undefined
  }
}

/** Writes valid documents to the catalog. */
class Admin {
  readonly #url: string
  readonly #key: string

  constructor(url: string, key: string) {
    this.#url = url
    this.#key = key
  }

  async send(method: string, path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return (await response.json()) as Readonly<Record<string, unknown>>
  }

  async createKey(kind: string, name: string, document: unknown): Promise<string> {
    const answer = await this.write(kind, name, document)
    if (typeof answer['key'] !== 'string') throw new Error(`No key for ${name}: ${JSON.stringify(answer)}`)
    return answer['key']
  }

  async write(kind: string, name: string, document: unknown): Promise<Readonly<Record<string, unknown>>> {
    const payload = encodeBase64Text(JSON.stringify(document))
    return documentOf(await this.send('POST', `/v1/catalog/${kind}/${name}`, { payload }))
  }

  async read(kind: string, name: string): Promise<Readonly<Record<string, unknown>>> {
    return documentOf(await this.send('GET', `/v1/catalog/${kind}/${name}`))
  }
}

function documentOf(answer: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (typeof answer['payload'] !== 'string') return answer
  return JSON.parse(Buffer.from(answer['payload'], 'base64').toString()) as Readonly<Record<string, unknown>>
}

async function firstKey(
  owner: Parameters<typeof bootstrap>[0],
  org: string,
  role: 'admin' | 'operator',
): Promise<string> {
  const { key } = await bootstrap(owner, {
    tenant: { provider: 'PROVIDER_CODEHOST_APP', org },
    ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
    account: role,
    role,
    token: `fuzz-${role}`,
  })
  if (key === undefined) throw new Error('A fresh database has no keys yet')
  return key
}
