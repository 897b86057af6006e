import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePorts } from '@skein/host'
import { waitFor, type PostgresServer } from '@skein/testkit'
import { prepareDatabase, startDatabase } from './database.ts'
import { Network } from './network.ts'
import { createRunnerKey, superviseRunner, superviseServer } from './programs.ts'
import type { Supervised } from './supervised.ts'

const SERVERS = 3
const RUNNERS = 3
/** Short, so that runs of killed runners are retried many times during the test. */
export const LEASE_MS = 4_000
/** How the names of the lines between servers and PostgreSQL begin. */
const DATABASE_LINE = 'database of server'

/** A small production setup: PostgreSQL, servers behind a load balancer, runners, and the network between them. */
export interface Installation {
  readonly postgres: PostgresServer
  readonly network: Network
  readonly servers: readonly Supervised[]
  readonly runners: readonly Supervised[]
  /** URL of each server, whether it is up or not. */
  readonly serverUrls: readonly string[]
  /** URL of the load balancer. */
  readonly balancerUrl: string
  /** Of the database, as its superuser. */
  readonly ownerUrl: string
  /** Lets commits of all servers but the first take longer. */
  readonly slowCommits: (ms: number) => void
  readonly runnerLogs: readonly string[]
  readonly adminKey: string
  readonly folder: string
  stop(keepLogs: boolean): Promise<void>
}

/** Runs the servers of the source tree at `root`. */
export async function install(root: string): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-crash-'))
  const network = new Network()
  const postgres = await startDatabase()
  const parts = { network, postgres, folder, servers: [] as Supervised[], runners: [] as Supervised[] }
  try {
    return await startPrograms(root, parts)
  } catch (error) {
    await stopAll(parts, false)
    throw error
  }
}

interface Parts {
  readonly network: Network
  readonly postgres: PostgresServer
  readonly folder: string
  readonly servers: Supervised[]
  readonly runners: Supervised[]
}

async function startPrograms(root: string, parts: Parts): Promise<Installation> {
  const { network, postgres, folder, servers, runners } = parts
  const { serverUrl, masterKey, adminKey } = await prepareDatabase(postgres.url(), root)
  const databasePorts: number[] = []
  for (let index = 0; index < SERVERS; index++) {
    databasePorts.push(await network.open(`${DATABASE_LINE} ${index}`, [postgres.port]))
  }
  // Chosen after the proxies' ports: a proxy that took a server's port would keep it from starting.
  const ports = await findFreePorts(SERVERS)
  for (const [index, port] of ports.entries()) {
    const database = new URL(serverUrl)
    database.port = String(databasePorts[index])
    servers.push(
      superviseServer({
        root,
        index,
        port,
        folder,
        databaseUrl: database.href,
        masterKey,
        leaseMs: LEASE_MS,
      }),
    )
  }
  for (const server of servers) server.start()
  await untilReady(servers)
  const serverUrls: string[] = []
  for (const [index, port] of ports.entries()) {
    serverUrls.push(localUrl(await network.open(`callers of server ${index}`, [port])))
  }
  const balancerUrl = localUrl(await network.open('balancer', ports))
  const runnerLogs = Array.from({ length: RUNNERS }, (_, index) => join(folder, `runner-${index}.jsonl`))
  for (const [index, logFile] of runnerLogs.entries()) {
    const key = await createRunnerKey(balancerUrl, adminKey, index)
    runners.push(superviseRunner({ index, folder, url: balancerUrl, key, logFile }))
  }
  for (const runner of runners) runner.start()
  await untilReady(runners)
  const stop = (keepLogs: boolean): Promise<void> => stopAll(parts, keepLogs)
  const slowCommits = (ms: number): void => {
    const lines = network.lines.filter((line) => line.startsWith(DATABASE_LINE)).slice(1)
    for (const line of lines) network.strike(line, 'slow', ms)
  }
  return {
    ...parts,
    ownerUrl: postgres.url(),
    slowCommits,
    serverUrls,
    balancerUrl,
    runnerLogs,
    adminKey,
    stop,
  }
}

async function stopAll(
  { network, postgres, folder, servers, runners }: Parts,
  keepLogs: boolean,
): Promise<void> {
  await Promise.all([...runners, ...servers].map((each) => each.stop()))
  await network.stop()
  await postgres.stop()
  if (!keepLogs) rmSync(folder, { recursive: true, force: true })
}

export function untilReady(processes: readonly Supervised[]): Promise<boolean> {
  return waitFor(() => processes.every(({ isReady }) => isReady), {
    what: `${processes.map(({ name }) => name).join(', ')} to be ready`,
    timeoutMs: 180_000,
    intervalMs: 50,
  })
}

function localUrl(port: number): string {
  return `http://127.0.0.1:${port}`
}
