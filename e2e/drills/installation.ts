import { join } from 'node:path'
import { findFreePorts } from '@skein/host'
import { RunnerLogs } from '../crash/checks/runner-logs.ts'
import type { PreparedDatabase } from '../crash/installation/database.ts'
import { LEASE_MS, untilReady } from '../crash/installation/install.ts'
import { createRunnerKey, superviseRunner, superviseServer } from '../crash/installation/programs.ts'
import type { Supervised } from '../crash/installation/supervised.ts'
import type { Target } from '../crash/round.ts'
import type { DrillSettings } from './drill.ts'
import { startBalancer, type Balancer } from './haproxy.ts'

const SERVERS = 2
const RUNNERS = 2

/** Set as our pages say: longer than the balancer needs to notice. */
const SHUTDOWN_DELAY_MS = 4_000

/** The balancer sends requests to a server again: it checks once a second, and one success is enough. */
export const NOTICED_MS = 2_500

export interface DrillInstallation extends Target {
  readonly servers: Supervised[]
  readonly ports: readonly number[]
  readonly runners: Supervised[]
  readonly runnerLogs: RunnerLogs
  readonly balancer: Balancer
  /** A server for the place of another, such as of another version. */
  createServer(index: number, options?: ServerOptions): Supervised
  createRunner(index: number, root: string): Supervised
  stop(): Promise<void>
}

export interface ServerOptions {
  readonly root?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Two servers behind HAProxy with two runners, on a database that was prepared before. */
export async function installAround(
  settings: Pick<DrillSettings, 'root' | 'folder'>,
  database: PreparedDatabase & { readonly ownerUrl: string },
  options: ServerOptions & { readonly runnerRoot?: string } = {},
): Promise<DrillInstallation> {
  const { root, folder } = settings
  const { ownerUrl, serverUrl, masterKey, adminKey } = database
  const ports = await findFreePorts(SERVERS)
  const createServer = (index: number, changes: ServerOptions = {}): Supervised =>
    superviseServer({
      root: changes.root ?? options.root ?? root,
      index,
      port: ports[index] ?? 0,
      folder,
      databaseUrl: serverUrl,
      masterKey,
      leaseMs: LEASE_MS,
      env: { SKEIN_SHUTDOWN_DELAY_MS: String(SHUTDOWN_DELAY_MS), ...options.env, ...changes.env },
    })
  const servers = ports.map((_, index) => createServer(index))
  for (const server of servers) server.start()
  await untilReady(servers)
  const balancer = await startBalancer(settings, ports)
  const files = Array.from({ length: RUNNERS }, (_, index) => join(folder, `runner-${index}.jsonl`))
  const keys: string[] = []
  for (const index of files.keys()) keys.push(await createRunnerKey(balancer.url, adminKey, index))
  const createRunner = (index: number, source: string): Supervised =>
    superviseRunner({
      root: source,
      index,
      folder,
      url: balancer.url,
      key: keys[index] ?? '',
      logFile: files[index] ?? '',
    })
  const runners = files.map((_, index) => createRunner(index, options.runnerRoot ?? options.root ?? root))
  for (const runner of runners) runner.start()
  await untilReady(runners)
  return {
    ownerUrl,
    serverUrls: [balancer.url],
    balancerUrl: balancer.url,
    adminKey,
    servers,
    ports,
    runners,
    runnerLogs: new RunnerLogs(files),
    balancer,
    createServer,
    createRunner,
    async stop() {
      await Promise.all([...runners, ...servers].map((each) => each.stop()))
      await balancer.program.end()
    },
  }
}
