/** `npm run dev`: PostgreSQL and the server with a first tenant and key, for trying things out. Ctrl-C stops all. */
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bootstrap } from '@skein/engine'
import { createApp, openResources, readConfig } from '@skein/server'
import { migrate } from '@skein/store'
import { startPostgresServer } from '@skein/testkit'
import { Client } from 'pg'

interface State {
  masterKey: string
  password: string
  apiKey: string
}

const { values } = parseArgs({
  options: { port: { type: 'string', default: '8080' }, 'data-dir': { type: 'string', default: '.skein' } },
})
const folder = resolve(values['data-dir'])
const stateFile = `${folder}/dev.json`

await mkdir(folder, { recursive: true })
const state = await readState()
const postgres = await startPostgresServer({ dataDir: `${folder}/postgres`, durable: true })
const ownerUrl = postgres.url('postgres')
await migrate({ connectionString: ownerUrl })
const serverUrl = await createServerLogin()
const config = readConfig({
  ...process.env,
  SKEIN_DATABASE_URL: serverUrl,
  SKEIN_MASTER_KEY: state.masterKey,
  SKEIN_PORT: values.port,
  SKEIN_LOG_LEVEL: process.env['SKEIN_LOG_LEVEL'] ?? 'warn',
})
await createFirstKey()
const engine = openResources(config, serverUrl)
const app = await createApp({ config, engine })
const baseUrl = await app.listen({ host: config.SKEIN_HOST, port: config.SKEIN_PORT })
console.log(`
Skein is up. Try it from another terminal:

  export SKEIN_URL=${baseUrl}
  export SKEIN_API_KEY=${state.apiKey}
  curl -s "$SKEIN_URL/v1/whoami" -H "Authorization: Bearer $SKEIN_API_KEY"

Data is kept in ${values['data-dir']}/. Ctrl-C stops the server and its database.
`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())

async function stop(): Promise<void> {
  await app.close()
  await engine.database.close()
  await postgres.stop()
}

async function readState(): Promise<State> {
  try {
    return JSON.parse(await readFile(stateFile, 'utf8')) as State
  } catch {
    return {
      masterKey: randomBytes(32).toString('base64'),
      password: randomBytes(16).toString('hex'),
      apiKey: '',
    }
  }
}

async function createServerLogin(): Promise<string> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  const { rowCount } = await client.query(`select from pg_roles where rolname = 'skein_dev'`)
  if (rowCount === 0) await client.query('create role skein_dev login in role skein_server')
  await client.query(`alter role skein_dev password '${state.password}'`)
  await client.end()
  const url = new URL(ownerUrl)
  url.username = 'skein_dev'
  url.password = state.password
  return url.href
}

/** The key is kept beside the data, so that it is the same at the next start. */
async function createFirstKey(): Promise<void> {
  const owner = openResources(config, ownerUrl)
  const { key } = await bootstrap(owner, {
    tenant: { provider: 'PROVIDER_CODEHOST_APP', org: 'dev' },
    ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
    account: 'dev',
    role: 'admin',
    token: 'dev',
  })
  await owner.database.close()
  if (key !== undefined) state.apiKey = key
  await writeFile(stateFile, JSON.stringify(state, null, 2))
  await chmod(stateFile, 0o600)
}
