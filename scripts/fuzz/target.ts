import { randomBytes } from 'node:crypto'
import { encodeBase64Text, type Role } from '@skein/contract'
import { bootstrap } from '@skein/engine'
import { openResources, readConfig, startServer, type RunningServer } from '@skein/server'
import { migrate } from '@skein/store'
import { createServerLogin, startPostgresServer, TestClient } from '@skein/testkit'
import type { CallerName } from './requests.ts'

/** A real server on a real database, and a key for each of the fuzzer's callers. */
export interface Target {
  readonly app: RunningServer['app']
  readonly port: number
  readonly keys: Readonly<Record<CallerName, string | undefined>>
  readonly admin: TestClient
  /** The worst of what the server logged. */
  readonly faults: readonly string[]
  close(): Promise<void>
}

export async function startTarget(): Promise<Target> {
  const postgres = await startPostgresServer()
  try {
    const ownerUrl = postgres.url()
    await migrate({ connectionString: ownerUrl })
    const password = randomBytes(16).toString('hex')
    const serverUrl = await createServerLogin(ownerUrl, { name: 'skein_fuzz', password })
    const config = readConfig({
      SKEIN_DATABASE_URL: serverUrl,
      SKEIN_PORT: '0',
      SKEIN_MASTER_KEY: randomBytes(32).toString('base64'),
      SKEIN_LOG_LEVEL: 'error',
      // The fuzzer sends more than any caller should, and the machine may be busy with other things.
      SKEIN_ADDRESS_REQUESTS_PER_MINUTE: '0',
      SKEIN_CALLER_REQUESTS_PER_MINUTE: '0',
      SKEIN_CALLER_STREAMS: '0',
      SKEIN_TENANT_STREAMS: '0',
      SKEIN_MAX_EVENT_LOOP_DELAY_MS: '0',
    })
    const owner = openResources(config, ownerUrl)
    const adminKey = await firstKey(owner, 'acme', 'admin')
    const operatorKey = await firstKey(owner, 'acme', 'operator')
    const strangerKey = await firstKey(owner, 'other', 'admin')
    await owner.database.close()
    const faults: string[] = []
    const server = await startServer(config, { logStream: { write: (line) => void faults.push(line) } })
    const { app } = server
    const admin = new TestClient(app, adminKey)
    return {
      app,
      port: Number(new URL(server.url).port),
      admin,
      faults,
      keys: {
        admin: adminKey,
        operator: operatorKey,
        stranger: strangerKey,
        member: await keyOfRole(admin, 'member'),
        viewer: await keyOfRole(admin, 'viewer'),
        runner: await keyOfRole(admin, 'runner'),
        forger: adminKey.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
        nobody: undefined,
      },
      async close() {
        await server.stop()
        await postgres.stop()
      },
    }
  } catch (error) {
    await postgres.stop()
    throw error
  }
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

async function keyOfRole(admin: TestClient, role: Role): Promise<string> {
  const payload = encodeBase64Text(JSON.stringify({ account: role, role }))
  const { document, text } = await admin.post(`/v1/catalog/token/fuzz-${role}`, { payload })
  if (typeof document['key'] !== 'string') throw new Error(`No key for ${role}: ${text}`)
  return document['key']
}
