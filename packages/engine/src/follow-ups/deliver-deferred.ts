import { deliverDeferred as decideDelivery } from '@skein/core'
import type { DueTimer } from '@skein/store'
import { identifyByCause } from '../commands/command-id.ts'
import { SYSTEM } from '../commands/command.ts'
import { parentKeyOf } from '../commands/run-command.ts'
import { carryOutTreeCommand } from '../commands/tree-command.ts'
import type { EngineResources } from '../resources.ts'

export async function deliverDeferred(engine: EngineResources, timer: DueTimer): Promise<void> {
  const { tenantId, agentKey, rootKey, followUpId } = timer
  const parentKey = parentKeyOf(timer)
  await carryOutTreeCommand(engine, {
    tenantId,
    tree: rootKey,
    keys: parentKey === undefined ? [agentKey] : [agentKey, parentKey],
    ...identifyByCause('due', tenantId, agentKey, followUpId),
    actor: SYSTEM,
    decide: (loaded, now) =>
      decideDelivery(followUpId, {
        agent: loaded.agents.get(agentKey),
        parent: parentKey === undefined ? undefined : loaded.agents.get(parentKey),
        now,
      }),
  })
}
