import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { openSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { waitFor, type PostgresServer } from '@skein/testkit'
import { Connection } from '@temporalio/client'
import { query } from '../automations/query.ts'

const run = promisify(execFile)
const VERSION = '1.32.1'
const NAMESPACE = 'default'
const SERVICES = ['frontend', 'matching', 'history', 'worker']
/** Database and the schema that the SQL tool has for it. */
const DATABASES = { temporal: 'temporal', temporal_visibility: 'visibility' }

/** A real Temporal server, all four services in one process, with its data in PostgreSQL. */
export class TemporalServer {
  readonly #programs: string
  readonly #folder: string
  readonly address: string
  #process: ChildProcess | undefined

  private constructor(programs: string, folder: string, address: string) {
    this.#programs = programs
    this.#folder = folder
    this.address = address
  }

  /** `programs` is the folder that get-temporal.sh filled. */
  static async start(programs: string, folder: string, postgres: PostgresServer): Promise<TemporalServer> {
    const database = await createLogin(postgres)
    await createSchemas(programs, database)
    const ports = await findLowPorts(SERVICES.length * 2)
    writeFileSync(join(folder, 'dynamic.yaml'), '{}\n')
    writeFileSync(join(folder, 'server.yaml'), JSON.stringify(settings(folder, database, ports)))
    const server = new TemporalServer(programs, folder, `127.0.0.1:${ports[0]}`)
    await server.restart()
    return server
  }

  async restart(): Promise<void> {
    const log = openSync(join(this.#folder, 'temporal.log'), 'a')
    const args = ['--config-file', join(this.#folder, 'server.yaml'), '--allow-no-auth', 'start']
    this.#process = spawn(join(this.#programs, `temporal-server-${VERSION}`), args, {
      stdio: ['ignore', log, log],
    })
    await this.#untilUsable()
  }

  async kill(): Promise<void> {
    if (!this.#process || this.#hasEnded) return
    const exited = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await exited
  }

  get #hasEnded(): boolean {
    return typeof this.#process?.exitCode === 'number' || typeof this.#process?.signalCode === 'string'
  }

  /** It serves before it knows the namespace and owns its shards. */
  async #untilUsable(): Promise<void> {
    const connection = Connection.lazy({ address: this.address })
    const { workflowService } = connection
    const soon = <Answer>(call: () => Promise<Answer>): Promise<Answer> =>
      connection.withDeadline(Date.now() + 3_000, call)
    try {
      const outcome = await waitFor(
        async () => {
          if (this.#hasEnded) return 'ended'
          const retention = { workflowExecutionRetentionPeriod: { seconds: 86_400 as never } }
          await soon(() => workflowService.registerNamespace({ namespace: NAMESPACE, ...retention })).catch(
            isAlreadyThere,
          )
          return soon(() => workflowService.listOpenWorkflowExecutions({ namespace: NAMESPACE }))
        },
        { what: `Temporal to be usable, see ${this.#folder}`, timeoutMs: 120_000, intervalMs: 200 },
      )
      if (outcome === 'ended') throw new Error(`Temporal has ended, see ${this.#folder}`)
    } finally {
      await connection.close()
    }
  }
}

/** Temporal keeps its ports in columns of type smallint. */
async function findLowPorts(amount: number): Promise<readonly number[]> {
  const ports: number[] = []
  for (let port = 20_000 + randomInt(10_000); ports.length < amount; port++) {
    if (port > 32_767) throw new Error('There are not enough free ports')
    if (await isFree(port)) ports.push(port)
  }
  return ports
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

function isAlreadyThere(error: unknown): void {
  if (!(error instanceof Error && /already/i.test(error.message))) throw error
}

/** Temporal's driver rejects passwords that were stored with a single iteration, as ours in tests are. */
async function createLogin(postgres: PostgresServer): Promise<URL> {
  const password = randomBytes(16).toString('hex')
  await query(
    postgres,
    `set scram_iterations = 4096; create role temporal login createdb password '${password}'`,
  )
  const url = new URL(postgres.url())
  url.username = 'temporal'
  url.password = password
  return url
}

async function createSchemas(programs: string, database: URL): Promise<void> {
  const { hostname, port, username, password } = database
  for (const [name, schema] of Object.entries(DATABASES)) {
    const tool = (...args: string[]) =>
      run(
        join(programs, `temporal-sql-tool-${VERSION}`),
        ['--plugin', 'postgres12', '--ep', hostname, '-p', port, '-u', username, '--db', name, ...args],
        { env: { SQL_PASSWORD: password } },
      )
    await tool('create')
    await tool('setup-schema', '-v', '0.0')
    await tool('update-schema', '--schema-name', `postgresql/v12/${schema}`)
  }
}

/** JSON is YAML. */
function settings(folder: string, database: URL, ports: readonly number[]): object {
  const store = (databaseName: string, connections: number) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: database.host,
      connectProtocol: 'tcp',
      user: database.username,
      password: database.password,
      maxConns: connections,
      maxIdleConns: connections,
      maxConnLifetime: '1h',
    },
  })
  const services: Record<string, object> = {}
  for (const [index, name] of SERVICES.entries()) {
    const grpcPort = ports[index]
    const membershipPort = ports[SERVICES.length + index]
    services[name] = { rpc: { grpcPort, membershipPort, bindOnLocalHost: true } }
  }
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: 4,
      datastores: { default: store('temporal', 20), visibility: store('temporal_visibility', 5) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services,
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${ports[0]}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: join(folder, 'dynamic.yaml'), pollInterval: '60s' },
  }
}
