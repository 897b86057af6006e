import {
  formatTimestamp,
  parseTimestamp,
  SkeinError,
  type PoolEntry,
  type RunnerEntry,
} from '@skein/contract'
import { listedWorkspaces, type Caller } from '@skein/core'
import { listPoolWork, listRunners as readRunners, type PoolWork, type RunnerRecord } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { ONLINE_MS } from './online-pools.ts'

/** Longer than ONLINE_MS, so that a runner that just went away is still shown. */
const SHOWN_MS = 600_000

export interface RunnerList {
  readonly runners: RunnerEntry[]
  readonly pools: PoolEntry[]
}

/** Sorted by name. */
export async function listRunners(
  { database }: EngineResources,
  caller: Caller,
  tenantId: string,
): Promise<RunnerList> {
  requireNoRun(caller)
  // A pool's work is that of all teams.
  const seesAll = listedWorkspaces(caller) === undefined
  const times = { withinMs: SHOWN_MS, onlineMs: ONLINE_MS }
  const [runners, work] = await database.statement(
    async (transaction) =>
      [await readRunners(transaction, tenantId, times), await listPoolWork(transaction, tenantId)] as const,
  )
  return { runners: runners.map(describeRunner), pools: seesAll ? describePools(runners, work) : [] }
}

/** Pools with work are listed even if no runner serves them: those need attention. */
function describePools(runners: readonly RunnerRecord[], work: readonly PoolWork[]): PoolEntry[] {
  const byName = new Map(work.map((pool) => [pool.name, pool]))
  const names = new Set([...byName.keys(), ...runners.flatMap(({ pools }) => pools)])
  return [...names].toSorted().map((name) => {
    const { queued = 0, queuedSince, delayed = 0, running = 0 } = byName.get(name) ?? {}
    return {
      name,
      queued,
      queuedSince: queuedSince === undefined ? '' : formatTimestamp(queuedSince),
      delayed,
      running,
    }
  })
}

/** An agent may not see the machines it runs on. */
function requireNoRun({ within, role }: Caller): void {
  if (!within) return
  throw new SkeinError('PERMISSION_MISSING', {
    message: 'The key of a run cannot list runners.',
    metadata: { permission: 'agent.read', role },
  })
}

function describeRunner({ offers, seenAt, ...runner }: RunnerRecord): RunnerEntry {
  const { build = '', startTime = '', capacity = 0, backends = [], sandboxes = [] } = offers
  const startedAt = parseTimestamp(startTime)
  return {
    name: runner.name,
    pools: [...runner.pools],
    servesAllTenants: runner.servesAllTenants,
    build,
    startTime: startedAt === undefined ? '' : formatTimestamp(startedAt),
    capacity,
    backends: backends.map(({ name, version = '', problem = '', keyProblem = '' }) => ({
      name,
      version,
      problem,
      keyProblem,
    })),
    sandboxes: sandboxes.map(({ name, problem = '', networks = [], limits = [], notes = [] }) => ({
      name,
      problem,
      networks: networks.map((network) => ({ name: network.name, problem: network.problem ?? '' })),
      limits: limits.map((limit) => ({ name: limit.name, problem: limit.problem ?? '' })),
      notes: [...notes],
    })),
    seenTime: formatTimestamp(seenAt),
    isOnline: runner.isOnline,
  }
}
