import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '@skein/testkit'
import { Client as PostgresClient } from 'pg'
import { checkAttempts } from './checks/attempts.ts'
import { checkCommands } from './checks/commands.ts'
import type { Evidence } from './checks/evidence.ts'
import { checkMessages } from './checks/messages.ts'
import { checkOrder } from './checks/order.ts'
import { readTimelines, untilAtRest } from './checks/read-timelines.ts'
import { checkReports } from './checks/reports.ts'
import { readAgentPaths, type RunnerLogs } from './checks/runner-logs.ts'
import { checkStored } from './checks/stored.ts'
import { checkTimelines } from './checks/timelines.ts'
import { checkTrees } from './checks/trees.ts'
import { checkWatchers } from './checks/watchers.ts'
import type { CrashOptions } from './options.ts'
import type { Report } from './report.ts'
import { Api, type ApiCounts } from './workload/api.ts'
import { BigTree } from './workload/big-tree.ts'
import { Client } from './workload/client.ts'
import { agentId, agentPaths } from './workload/paths.ts'
import { Watchers } from './workload/watchers.ts'

const WATCHED = 12
const SLOW_MS = 3_000

/** What is tested: servers, and the database behind them. */
export interface Target {
  /** Of the database, as its superuser. */
  readonly ownerUrl: string
  /** Any of these may be sent a command. */
  readonly serverUrls: readonly string[]
  /** URL of the load balancer. */
  readonly balancerUrl: string
  readonly adminKey: string
  /** Lets commits of all servers but the first take longer, if the network between them can do that. */
  readonly slowCommits?: (ms: number) => void
}

export interface RoundSettings {
  readonly number: number
  readonly seconds: number
  readonly options: Pick<CrashOptions, 'clients' | 'agents' | 'treeSize' | 'restSeconds' | 'seed'>
  readonly target: Target
  readonly runnerLogs: RunnerLogs
  readonly report: Report
  readonly calls: ApiCounts
  /** What is done to the target meanwhile, until the signal. The round ends when it ends by itself. */
  readonly disturb: (signal: AbortSignal) => Promise<void>
}

/** Summary of one round, for the console. */
export interface RoundSummary {
  readonly commands: number
  readonly events: number
  readonly attempts: number
  readonly lateRefused: number
  readonly treeAgents: number
  readonly slowestKillMs: number
  readonly restAfterMs: number
}

/**
 * Load and faults on the round's own agents. Then waits until everything is at rest, checks it, and kills the
 * agents.
 */
export async function runRound(settings: RoundSettings): Promise<RoundSummary> {
  const { number, options, target, report } = settings
  const prefix = `r${number}-`
  const paths = agentPaths(prefix, options.agents)
  const watchers = new Watchers(target.balancerUrl, target.adminKey)
  await watchers.start(paths.slice(0, WATCHED))
  const { clients, tree } = await drive(settings, prefix, paths)
  const reader = apiFor(settings, 999)
  const { restless, afterMs } = await untilAtRest(reader, paths, options.restSeconds * 1000)
  report.check('stuck', 'every agent comes to rest', paths.length, restless)
  const timelines = await readTimelines(reader, paths)
  const log = clients.flatMap((client) => client.log)
  const owner = new PostgresClient({ connectionString: target.ownerUrl })
  await owner.connect()
  const attempts = settings.runnerLogs.readOn(await readAgentPaths(owner, `${prefix}agent-`))
  const uncertain = clients.flatMap((client) => client.uncertain)
  const repeats = clients.flatMap((client) => client.repeats)
  const ownWrites = clients.flatMap((client) => client.ownWrites)
  const evidence: Evidence = { log, repeats, ownWrites, uncertain, attempts, timelines }
  checkCommands(report, evidence)
  checkMessages(report, evidence)
  checkOrder(report, evidence)
  checkTimelines(report, evidence)
  checkAttempts(report, evidence)
  checkReports(report, evidence)
  checkTrees(report, evidence)
  report.check('lost', 'every acknowledged agent of a big tree is there', tree.agents, tree.missing)
  report.check('wrong', 'a kill took every agent of a big tree', tree.agents, tree.alive)
  await checkWatchers(report, watchers, timelines)
  await watchers.stop()
  await checkStored(report, owner, prefix)
  await killRound(reader, owner, prefix, paths, report)
  await owner.end()
  return {
    commands: log.length,
    events: timelines.reduce((sum, { events }) => sum + events.length, 0),
    attempts: attempts.length,
    lateRefused: attempts.filter(({ end }) => end?.accepted === false).length,
    treeAgents: tree.agents,
    slowestKillMs: tree.slowestKillMs,
    restAfterMs: afterMs,
  }
}

async function drive(settings: RoundSettings, prefix: string, paths: readonly string[]) {
  const { number, seconds, options } = settings
  const clients = createClients(settings, prefix, paths)
  const tree = new BigTree(apiFor(settings, 998), new Random(options.seed, number, 4), {
    prefix,
    size: options.treeSize,
  })
  const stop = new AbortController()
  const work = Promise.all([...clients, tree].map((each) => each.work(stop.signal)))
  const disturbance = settings.disturb(stop.signal)
  await Promise.race([pause(seconds * 1000), work, disturbance])
  stop.abort()
  await disturbance
  await work
  await Promise.all(clients.map((client) => client.repeat()))
  const roots = paths.filter((path) => !path.includes('/'))
  await forEachRoot(clients, roots, (client, root, place) => client.gatherFamily(root, place % 2 === 0))
  await readOwnWrites(settings, clients, roots)
  return { clients, tree: tree.felled }
}

/** The callers of a round. */
export function createClients(
  settings: Pick<RoundSettings, 'number' | 'options' | 'target' | 'calls'>,
  prefix: string,
  paths: readonly string[],
): Client[] {
  const { number, options } = settings
  return Array.from({ length: options.clients }, (_, index) => {
    const first = paths.filter((_path, agent) => agent % options.clients === index)
    const random = new Random(options.seed, number, index, 2)
    return new Client(`${prefix}client-${index}`, apiFor(settings, index), random, { paths, first })
  })
}

/** Each client has its own roots, and takes one after the other. */
async function forEachRoot(
  clients: readonly Client[],
  roots: readonly string[],
  act: (client: Client, root: string, place: number) => Promise<void>,
): Promise<void> {
  await Promise.all(
    clients.map(async (client, index) => {
      for (const [place, root] of roots.entries()) {
        if (place % clients.length === index) await act(client, root, place)
      }
    }),
  )
}

/** Reads from a server with a fast connection what was written through servers whose commits take long to arrive. */
async function readOwnWrites(
  settings: RoundSettings,
  clients: readonly Client[],
  roots: readonly string[],
): Promise<void> {
  const { slowCommits, serverUrls } = settings.target
  slowCommits?.(SLOW_MS)
  const reader = apiFor(settings, 997, serverUrls.slice(0, 1))
  await forEachRoot(clients, roots, (client, root) => client.readOwnWrite(root, reader))
}

export function apiFor(
  { target, options, number, calls }: Pick<RoundSettings, 'number' | 'options' | 'target' | 'calls'>,
  stream: number,
  urls: readonly string[] = target.serverUrls,
): Api {
  return new Api(urls, target.adminKey, new Random(options.seed, number, stream, 1), calls)
}

/** Lets the next round start with an idle service. It also checks that killing idle agents is thorough. */
async function killRound(
  api: Api,
  owner: PostgresClient,
  prefix: string,
  paths: readonly string[],
  report: Report,
): Promise<void> {
  for (const path of paths.filter((each) => !each.includes('/'))) {
    await api.insist('/v1/agent/kill', { agentId: agentId(path) }, `kill-${path}`)
  }
  const { rows } = await owner.query<{ key: string }>(
    'select key from agent where key like $1 and not is_terminal',
    [`%/ada/${prefix}%`],
  )
  report.check(
    'wrong',
    'nobody outlives the kill of all roots',
    paths.length,
    rows.map(({ key }) => key),
  )
}
