import type { Caller } from '@skein/core'
import { isCurrent, refuseHeld } from '@skein/core'
import { AgentReader, findOwnTenant, findOwnHold } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { formatLease, tryParseLease } from '../lease-id.ts'
import type { LeaseRef } from '@skein/store'
import { withCell, withoutCell } from './cell-prefix.ts'

const PREFIX = 'skr_'
const PLACE = 'run-key'

/**
 * The key that an agent's run uses. It is not stored: it is the run's lease, sealed by the service, and is valid
 * only while that attempt is in progress.
 */
export function mintRunKey({ vault, cell }: EngineResources, lease: LeaseRef): string {
  return PREFIX + withCell(cell, vault.seal(formatLease(lease), PLACE))
}

export function isRunKey(key: string): boolean {
  return key.startsWith(PREFIX)
}

/** Acts for the agent's owner within the agent's subtree. Undefined once the run is over. */
export async function authenticateRun(engine: EngineResources, key: string): Promise<Caller | undefined> {
  const lease = openRunKey(engine, key)
  if (!lease) return undefined
  return engine.database.forTenant(lease.tenantId, async (transaction) => {
    const [agent] = await new AgentReader(transaction).findAll([lease.agentId])
    if (!isCurrent(agent, lease)) return undefined
    refuseHeld(await findOwnHold(transaction))
    const { ownerProvider, account, path } = agent.identity
    return {
      tenantId: lease.tenantId,
      tenant: await findOwnTenant(transaction),
      ownerProvider,
      account,
      role: 'run',
      token: `run of ${path.join('/')}`,
      pools: [],
      servesAllTenants: false,
      within: agent.identity,
      lease: { runId: lease.runId, attempt: lease.attempt },
    }
  })
}

function openRunKey({ vault }: EngineResources, key: string): LeaseRef | undefined {
  try {
    return tryParseLease(vault.open(withoutCell(key.slice(PREFIX.length)), PLACE))
  } catch {
    return undefined
  }
}
