import { setTimeout as pause } from 'node:timers/promises'
import type { Assignment, RunnerOffers } from '@skein/contract'
import { deliveryBatch, findBuiltIn, startRun, type Caller } from '@skein/core'
import { AgentReader, claimRuns, type ClaimedRun } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { poolTopic } from '../wakeups.ts'
import { describeAssignment } from './assignment.ts'
import { commandRun } from '../commands/run-command.ts'

export interface Poll {
  readonly pools: readonly string[]
  readonly capacity: number
  /** What the runner says of itself; one that says nothing refuses nothing. */
  readonly offers?: RunnerOffers | undefined
  readonly deadlineMs: number
  readonly signal: AbortSignal
}

const MAX_CONTENDED_CLAIMS = 50

const DEFAULT_TENANT_LIMIT = limitOf('quota', 'runsInFlight')
const DEFAULT_POOL_LIMIT = limitOf('pool', 'maxRuns')

/** Hands out runs, waiting for the first one until the deadline. */
export async function pollRuns(engine: EngineResources, caller: Caller, poll: Poll): Promise<Assignment[]> {
  const claim = async (): Promise<Assignment[] | undefined> => {
    const claimed = await claimPatiently(engine, caller, poll)
    const started = await Promise.allSettled(claimed.map((run) => startClaimed(engine, caller, run)))
    const assignments = started.flatMap((start) => (start.status === 'fulfilled' ? (start.value ?? []) : []))
    if (assignments.length > 0) return assignments
    // What did start is handed out even if another could not; its claim lapses with its lease.
    const failure = started.find((start) => start.status === 'rejected')
    if (failure) throw failure.reason
    return undefined
  }
  const whose = caller.servesAllTenants ? '*' : caller.tenantId
  const topics = poll.pools.map((pool) => poolTopic(whose, pool))
  return (await engine.wakeups.until(topics, poll, claim)) ?? []
}

/** Others who claim at the same moment are done within milliseconds; nobody would wake us for what they leave. */
async function claimPatiently(engine: EngineResources, caller: Caller, poll: Poll): Promise<ClaimedRun[]> {
  for (let attempt = 1; attempt <= MAX_CONTENDED_CLAIMS && !poll.signal.aborted; attempt++) {
    const claimed = await engine.claimTurns.take(caller.servesAllTenants ? '*' : caller.tenantId, () =>
      engine.database.statement((session) =>
        claimRuns(session, {
          tenantId: caller.servesAllTenants ? undefined : caller.tenantId,
          pools: poll.pools,
          amount: poll.capacity,
          runner: runnerName(caller),
          leaseMs: engine.leaseMs,
          tenantLimit: DEFAULT_TENANT_LIMIT,
          poolLimit: DEFAULT_POOL_LIMIT,
          refused: listRefusals(poll.offers),
          ceiling: engine.ceiling,
        }),
      ),
    )
    if (claimed) return claimed
    await pause(attempt + (engine.random.bytes(1)[0] ?? 0) / 10)
  }
  return []
}

/** Networks as `sandbox/policy`, limits as `sandbox/field`. A runner that tells nothing of them refuses none. */
function listRefusals(offers: RunnerOffers | undefined): string[] {
  return (offers?.sandboxes ?? []).flatMap(({ name, networks = [], limits = [] }) =>
    [...networks, ...limits]
      .filter(({ problem = '' }) => problem !== '')
      .map((part) => `${name}/${part.name}`),
  )
}

/** Who holds a lease, as the lease records it. */
export function runnerName({ tenantId, token }: Caller): string {
  return `${tenantId}/${token}`
}

/** The claim is the queue's; only the agent itself can say whether the run may still begin. */
async function startClaimed(
  engine: EngineResources,
  caller: Caller,
  run: ClaimedRun,
): Promise<Assignment | undefined> {
  let assignment: Assignment | undefined
  await commandRun(engine, run, {
    // Of this claim alone: when its lease ran out before it could start, another may have started the same attempt,
    // and that one's record must not pass for ours.
    cause: ['start', Buffer.from(engine.random.bytes(16)).toString('hex')],
    actor: caller.token,
    decide: async (view) => {
      assignment = undefined
      const reader = new AgentReader(view.session)
      const queued = view.agent && run.attempt === 1 ? deliveryBatch(view.agent.queue) : []
      const batch = view.agent
        ? await reader.followUps(
            view.agent.id,
            queued.map(({ followUpId }) => followUpId),
          )
        : []
      const decision = startRun({ ...run, runner: caller.token, batch }, view)
      if (!decision.answer.isStarted) return decision
      const messages = run.attempt === 1 ? batch : await reader.followUpsOfRun(run.agentId, run.runId)
      const agent = decision.changes[0]?.agent
      const assigning = { engine, caller, run, session: view.session }
      if (agent) assignment = await describeAssignment(assigning, agent, messages)
      return decision
    },
  })
  return assignment
}

function limitOf(kind: string, field: string): number {
  const limit = findBuiltIn(kind, 'default')?.[field]
  if (typeof limit !== 'number') throw new Error(`The built-in ${kind} has a ${field}`)
  return limit
}
