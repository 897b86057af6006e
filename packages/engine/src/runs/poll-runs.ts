import { setTimeout as pause } from 'node:timers/promises'
import type { Assignment, RunnerOffers } from '@skein/contract'
import { emptyDocument, type Caller } from '@skein/core'
import { claimRuns, type ClaimedRun } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { poolTopic } from '../wakeups.ts'
import { runnerName } from './runner-name.ts'
import { startRun } from './start-run.ts'

export interface Poll {
  readonly pools: readonly string[]
  readonly capacity: number
  /** What the runner offers. Without it, the runner accepts everything. */
  readonly offers?: RunnerOffers | undefined
  readonly deadlineMs: number
  readonly signal: AbortSignal
}

const MAX_CONTENDED_CLAIMS = 50

const DEFAULT_TENANT_LIMIT = emptyDocument('quota').runsInFlight
const DEFAULT_POOL_LIMIT = emptyDocument('pool').maxRuns

/** Assigns runs, waiting for the first one until the deadline. */
export async function pollRuns(engine: EngineResources, caller: Caller, poll: Poll): Promise<Assignment[]> {
  const claim = async (): Promise<Assignment[] | undefined> => {
    const claimed = await claimPatiently(engine, caller, poll)
    const started = await Promise.allSettled(claimed.map((run) => startRun(engine, caller, run)))
    const assignments = started.flatMap((start) => (start.status === 'fulfilled' ? (start.value ?? []) : []))
    if (assignments.length > 0) return assignments
    // Runs that did start are assigned even if others failed. The claims of those expire with their leases.
    const failure = started.find((start) => start.status === 'rejected')
    if (failure) throw failure.reason
    return undefined
  }
  const whose = caller.servesAllTenants ? '*' : caller.tenantId
  const topics = poll.pools.map((pool) => poolTopic(whose, pool))
  return (await engine.wakeups.until(topics, poll, claim)) ?? []
}

/** Concurrent claims finish within milliseconds, and no wake-up would follow for what they leave behind. */
async function claimPatiently(
  engine: EngineResources,
  caller: Caller,
  poll: Poll,
): Promise<readonly ClaimedRun[]> {
  for (let attempt = 1; attempt <= MAX_CONTENDED_CLAIMS && !poll.signal.aborted; attempt++) {
    const claimed = await claimOnce(engine, caller, poll)
    if (claimed) return claimed
    await pause(attempt + (engine.random.bytes(1)[0] ?? 0) / 10)
  }
  return []
}

function claimOnce(
  engine: EngineResources,
  caller: Caller,
  { pools, capacity, offers, signal }: Poll,
): Promise<readonly ClaimedRun[] | undefined> {
  const tenantId = caller.servesAllTenants ? undefined : caller.tenantId
  const kind = { tenantId, pools, runner: runnerName(caller), refused: listRefusals(offers) }
  const send = (amount: number) =>
    engine.database.statement((transaction) =>
      claimRuns(transaction, {
        ...kind,
        amount,
        leaseMs: engine.leaseMs,
        tenantLimit: DEFAULT_TENANT_LIMIT,
        poolLimit: DEFAULT_POOL_LIMIT,
        ceiling: engine.ceiling,
      }),
    )
  const asker = { amount: capacity, isGone: () => signal.aborted }
  return engine.sharedClaims.claim(JSON.stringify(kind), asker, (claim) =>
    engine.claimMutex.take(tenantId ?? '*', () => claim(send)),
  )
}

/** Networks as `sandbox/policy`, limits as `sandbox/field`. A runner that reports none accepts everything. */
function listRefusals(offers: RunnerOffers | undefined): string[] {
  return (offers?.sandboxes ?? []).flatMap(({ name, networks = [], limits = [] }) =>
    [...networks, ...limits]
      .filter(({ problem = '' }) => problem !== '')
      .map((part) => `${name}/${part.name}`),
  )
}
