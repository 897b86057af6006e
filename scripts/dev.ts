/**
 * `npm run dev [-- --port 8080 --data-dir .skein]`: PostgreSQL and the server with a first tenant and key, for trying
 * things out. Ctrl-C stops all of it; the data, the key and the port stay for the next time.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bootstrap } from '@skein/engine'
import { openResources, readConfig, startServer, type Config, type RunningServer } from '@skein/server'
import { migrate } from '@skein/store'
import { createServerLogin, startPostgresServer, type PostgresServer } from '@skein/testkit'

interface State {
  readonly masterKey: string
  readonly password: string
  readonly apiKey: string
}

const { values } = parseArgs({
  options: { port: { type: 'string', default: '8080' }, 'data-dir': { type: 'string', default: '.skein' } },
})
const folder = resolve(values['data-dir'])
const stateFile = `${folder}/dev.json`

await mkdir(folder, { recursive: true })
const state = await readState()
let postgres: PostgresServer | undefined
let server: RunningServer | undefined
try {
  postgres = await startPostgresServer({ dataDir: `${folder}/postgres`, durable: true })
  const ownerUrl = postgres.url()
  await migrate({ connectionString: ownerUrl })
  const config = readConfig({
    SKEIN_LOG_LEVEL: 'warn',
    SKEIN_PUBLIC_URL: `http://127.0.0.1:${values.port}`,
    ...process.env,
    SKEIN_DATABASE_URL: await createServerLogin(ownerUrl, { name: 'skein_dev', password: state.password }),
    SKEIN_MASTER_KEY: state.masterKey,
    SKEIN_PORT: values.port,
  })
  const apiKey = state.apiKey === '' ? await createKey(config, ownerUrl) : state.apiKey
  await writeState({ ...state, apiKey })
  server = await startServer(config)
  greet(server.url, apiKey)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
} catch (error) {
  const problem = error instanceof Error ? error.message : String(error)
  console.error(`Skein did not start: ${problem}`)
  if (problem.includes('EADDRINUSE')) console.error('Choose another port: npm run dev -- --port 8081')
  if (problem.includes('Permission denied')) {
    console.error(
      'Started by root, PostgreSQL runs as another user, who has to get to the data. Choose a folder',
    )
    console.error('that everyone can enter: npm run dev -- --data-dir /var/tmp/skein')
  }
  process.exitCode = 1
  await stop()
}

function greet(url: string, apiKey: string): void {
  console.log(`
Skein is up. Try it from another terminal:

  export SKEIN_URL=${url}
  export SKEIN_API_KEY=${apiKey}
  curl -s "$SKEIN_URL/v1/whoami" -H "Authorization: Bearer $SKEIN_API_KEY"

README.md goes on from there. Data is kept in ${values['data-dir']}/.
Ctrl-C stops the server and its database.
`)
}

async function stop(): Promise<void> {
  await server?.stop()
  await postgres?.stop()
}

async function readState(): Promise<State> {
  try {
    return JSON.parse(await readFile(stateFile, 'utf8')) as State
  } catch {
    const [masterKey, password] = [randomBytes(32).toString('base64'), randomBytes(16).toString('hex')]
    return { masterKey, password, apiKey: '' }
  }
}

/** Kept beside the data, so that the key is the same at the next start. Written whole or not at all. */
async function writeState(next: State): Promise<void> {
  await writeFile(`${stateFile}.new`, JSON.stringify(next, null, 2), { mode: 0o600 })
  await rename(`${stateFile}.new`, stateFile)
}

/** A key is shown once. If we were killed before we wrote it down, another token gets us another one. */
async function createKey(config: Config, ownerUrl: string): Promise<string> {
  const owner = openResources(config, ownerUrl)
  try {
    for (const token of ['dev', `dev-${randomBytes(4).toString('hex')}`]) {
      const { key } = await bootstrap(owner, {
        tenant: { provider: 'PROVIDER_CODEHOST_APP', org: 'dev' },
        ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
        account: 'dev',
        role: 'admin',
        token,
      })
      if (key !== undefined) return key
    }
    throw new Error('A token of a name that was never used gets a key')
  } finally {
    await owner.database.close()
  }
}
