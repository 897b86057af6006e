import type { Leftover } from '@skein/contract'
import { parseOwnOrBuiltIn, isLive, type Caller } from '@skein/core'
import {
  AgentReader,
  CatalogStore,
  dropLeftovers,
  findOwnTenant,
  takeLeftovers as claimLeftovers,
  type ClaimedLeftover,
} from '@skein/store'
import { toAgentId } from '../agents/describe-agent.ts'
import type { EngineResources } from '../resources.ts'
import { reposOf } from './assignment.ts'
import { sealLeftoverAccess } from './repo-access.ts'

const BATCH = 10

/** A runner takes seconds for one. This is for a runner that dies doing it. */
export const LEFTOVER_HOLD_MS = 600_000

/** Assigns the data of agents that ended too long ago to be resumed, and records what was removed. */
export async function takeLeftovers(
  engine: EngineResources,
  caller: Caller,
  { pools, removed }: { pools: readonly string[]; removed: readonly string[] },
): Promise<Leftover[]> {
  const { database, clock, sessionRetentionMs } = engine
  const scope = { tenantId: caller.servesAllTenants ? undefined : caller.tenantId, pools }
  if (removed.length > 0)
    await database.statement((transaction) => dropLeftovers(transaction, scope, removed))
  const claimed = await database.statement((transaction) =>
    claimLeftovers(transaction, scope, {
      endedBefore: clock.now() - sessionRetentionMs,
      amount: BATCH,
      holdMs: LEFTOVER_HOLD_MS,
    }),
  )
  const described = await Promise.all(claimed.map((leftover) => describe(engine, leftover)))
  return described.flatMap((leftover) => leftover ?? [])
}

/** Undefined for an agent that is live again. */
function describe(
  engine: EngineResources,
  { tenantId, agentId }: ClaimedLeftover,
): Promise<Leftover | undefined> {
  return engine.database.forTenant(tenantId, async (transaction) => {
    const [agent] = await new AgentReader(transaction).findAll([agentId])
    if (!agent || isLive(agent)) return undefined
    const { workspace: name } = agent.identity
    const stored = await new CatalogStore(transaction).find({ kind: 'workspace', name })
    const workspace = parseOwnOrBuiltIn('workspace', name, stored?.document)
    return {
      id: agentId,
      agentId: toAgentId(agent.identity, await findOwnTenant(transaction)),
      session: agent.session,
      repos: await reposOf({ engine, transaction, run: { tenantId } }, workspace ?? { repos: [] }, () =>
        sealLeftoverAccess(engine, { tenantId, agentId, until: engine.clock.now() + LEFTOVER_HOLD_MS }),
      ),
    }
  })
}
