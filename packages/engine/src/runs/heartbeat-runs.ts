import type { HeartbeatRun, RunCommand, RunHeartbeat } from '@skein/contract'
import type { AgentState, Caller } from '@skein/core'
import { AgentReader, touchLeases, type LeaseRef } from '@skein/store'
import { urgently, type EngineResources } from '../resources.ts'
import { agentTopic, type Patience } from '../wakeups.ts'
import { reserveCall } from '../budgets/reserve-call.ts'
import { parseLease } from '../lease-id.ts'
import { reportProgress } from './report-progress.ts'
import { runnerName } from './runner-name.ts'

interface HeldRun {
  readonly lease: LeaseRef
  readonly text: string
  readonly report: HeartbeatRun
}

/**
 * Renews the leases of a runner's runs, processes their reports and returns commands for each. With a deadline, the
 * call is held until there is a command, so that a stop arrives immediately.
 */
export async function heartbeatRuns(
  resources: EngineResources,
  caller: Caller,
  runs: readonly HeartbeatRun[],
  patience: Patience,
): Promise<RunHeartbeat[]> {
  const engine = urgently(resources)
  const held = runs.map((report) => ({ lease: parseLease(report.lease), text: report.lease, report }))
  const mine = await touch(engine, caller, held)
  const reporting = held.filter(({ lease, report }) => mine.has(lease.agentId) && hasNews(report))
  await Promise.all(reporting.map((run) => reportProgress(engine, caller, run)))
  const topics = held.map(({ lease }) => agentTopic(lease.agentId))
  const look = () => commandsFor(engine, held, mine)
  // Only heartbeats renew leases, so none may be held longer than a lease lasts.
  const deadlineMs = Math.min(patience.deadlineMs ?? Infinity, Date.now() + engine.leaseMs / 3)
  const answers = await engine.wakeups.until(topics, { ...patience, deadlineMs }, async () => {
    const current = await look()
    return current.some(({ isCurrent, commands }) => !isCurrent || commands.length > 0) ? current : undefined
  })
  return withBudgets(engine, held, answers ?? (await look()))
}

/** The remaining budgets, after the reports in this heartbeat. */
async function withBudgets(
  engine: EngineResources,
  held: readonly HeldRun[],
  answers: readonly RunHeartbeat[],
): Promise<RunHeartbeat[]> {
  return Promise.all(
    answers.map(async (answer, position) => {
      const run = held[position]
      if (run?.report.wantsBudget !== true || !answer.isCurrent) return answer
      return { ...answer, budget: await reserveCall(engine, run.lease, run.report) }
    }),
  )
}

function touch(
  engine: EngineResources,
  caller: Caller,
  held: readonly HeldRun[],
): Promise<ReadonlySet<string>> {
  return engine.database.statement((transaction) =>
    touchLeases(
      transaction,
      runnerName(caller),
      held.map(({ lease }) => lease),
      engine.leaseMs,
    ),
  )
}

function hasNews({ events, usage, session }: HeartbeatRun): boolean {
  return (events?.length ?? 0) > 0 || usage !== undefined || session !== undefined
}

async function commandsFor(
  engine: EngineResources,
  held: readonly HeldRun[],
  mine: ReadonlySet<string>,
): Promise<RunHeartbeat[]> {
  const agents = new Map<string, AgentState>()
  for (const tenantId of new Set(held.map(({ lease }) => lease.tenantId))) {
    const ids = held.filter(({ lease }) => lease.tenantId === tenantId).map(({ lease }) => lease.agentId)
    const found = await engine.database.forTenant(tenantId, (transaction) =>
      new AgentReader(transaction).findAll(ids),
    )
    for (const agent of found) agents.set(agent.id, agent)
  }
  const steers = await findSteers(engine, held, agents)
  return held.map(({ lease, text }) => {
    const run = agents.get(lease.agentId)?.run
    const isCurrent =
      mine.has(lease.agentId) &&
      run?.state === 'running' &&
      run.runId === lease.runId &&
      run.attempt === lease.attempt
    return {
      lease: text,
      isCurrent,
      commands: isCurrent
        ? [...stopCommands(run.stopMode), ...(steers.get(lease.agentId) ?? [])]
        : [command('KILL')],
    }
  })
}

function stopCommands(mode: NonNullable<AgentState['run']>['stopMode']): RunCommand[] {
  if (mode === 'STOP_TURN_MODE_UNSPECIFIED') return []
  return [command(mode === 'STOP_TURN_MODE_KILL' ? 'KILL' : 'INTERRUPT')]
}

function command(type: 'INTERRUPT' | 'KILL'): RunCommand {
  return { type, text: '', followUpId: '' }
}

/** Messages for turns in progress. They stay queued until the runner confirms that the agent has them. */
async function findSteers(
  engine: EngineResources,
  held: readonly HeldRun[],
  agents: ReadonlyMap<string, AgentState>,
): Promise<ReadonlyMap<string, readonly RunCommand[]>> {
  const found = new Map<string, readonly RunCommand[]>()
  for (const { lease, report } of held) {
    const queue = agents.get(lease.agentId)?.queue ?? []
    const ids = queue
      .filter(({ steers, followUpId }) => steers === true && report.heard?.includes(followUpId) !== true)
      .map(({ followUpId }) => followUpId)
    if (ids.length === 0) continue
    const bodies = await engine.database.forTenant(lease.tenantId, (transaction) =>
      new AgentReader(transaction).followUps(lease.agentId, ids),
    )
    found.set(
      lease.agentId,
      bodies.map(({ followUpId, description }) => ({ type: 'STEER', text: description, followUpId })),
    )
  }
  return found
}
