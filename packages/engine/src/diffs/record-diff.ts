import { createHash } from 'node:crypto'
import { SkeinError, type RecordDiffRequest } from '@skein/contract'
import { isCurrent, type Caller } from '@skein/core'
import { AgentReader, DiffStore, touchLeases } from '@skein/store'
import { parseLease } from '../lease-id.ts'
import type { EngineResources } from '../resources.ts'
import { runnerName } from '../runs/runner-name.ts'

/** With the largest diffs, thirty megabytes for an agent. */
const DIFFS_PER_AGENT = 10
/** Whatever agents push, the database of all tenants stays usable. */
const OF_TENANT = { diffs: 20_000, bytes: 2 * 1024 ** 3 }
/** At a time, with up to a thousand patches each. */
const STEP = 20
/** The next report continues. */
const MAX_STEPS = 50

/** Records what an agent pushed. The runner computes it, because only runners have the repositories. */
export async function recordDiff(
  { database, leaseMs }: EngineResources,
  caller: Caller,
  { lease: leaseText, ...diff }: RecordDiffRequest,
): Promise<{ diffId: string }> {
  const lease = parseLease(leaseText)
  const { tenantId, agentId } = lease
  const mine = await database.statement((transaction) =>
    touchLeases(transaction, runnerName(caller), [lease], leaseMs),
  )
  if (!mine.has(agentId)) throw notHeld()
  const id = diffIdOf(agentId, diff)
  await database.forTenant(tenantId, async (transaction) => {
    const [agent] = await new AgentReader(transaction).findAll([agentId])
    if (!agent || !isCurrent(agent, lease)) throw notHeld()
    const record = { ...diff, id, runId: lease.runId.toString() }
    await new DiffStore(transaction).record(agentId, record, DIFFS_PER_AGENT)
  })
  await forgetSurplus(database, tenantId)
  return { diffId: id }
}

/** In transactions of their own: each holds locks of no other agent for long. */
async function forgetSurplus(database: EngineResources['database'], tenantId: string): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const removed = await database.forTenant(tenantId, (transaction) =>
      new DiffStore(transaction).forgetSurplus(OF_TENANT, STEP),
    )
    if (removed === 0) return
  }
}

/** The same comparison has the same id, so that a repeated report is recognised. */
function diffIdOf(
  agentId: string,
  { repo, branch, scope, commit, baseCommit }: Omit<RecordDiffRequest, 'lease'>,
): string {
  const facts = JSON.stringify([agentId, repo, branch, scope, commit, baseCommit])
  const hex = createHash('sha256').update(facts).digest('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}

function notHeld(): SkeinError {
  return new SkeinError('RUN_NOT_CURRENT', { message: 'This runner no longer has the run.' })
}
