import type { BodyOf, watchFleet } from '@skein/contract'
import { agentKey, listedWorkspaces, type Caller } from '@skein/core'
import type { EngineResources, listFleet } from '@skein/engine'
import { ownId, readOwner, readScope, readTraits } from './agent-filter.ts'

type Filter = Parameters<typeof listFleet>[2]
type FilterRequest = Omit<BodyOf<typeof watchFleet>, 'after'>

/** The filter of a fleet's list, watch or summary. */
export async function readFleetFilter(
  engine: EngineResources,
  caller: Caller,
  request: FilterRequest,
): Promise<{ tenant: Parameters<typeof listFleet>[1]; filter: Filter }> {
  const { account = '', workspace = '' } = request
  // A run sees only its own descendants, whatever it asks for.
  const id = request.under ?? ownId(caller)
  const { above: under, tenant } = await readScope(engine, caller, { id, tenant: request.tenant }, 'under')
  return {
    tenant,
    filter: {
      ...readTraits(request),
      // A tree is shown regardless of its owner.
      owner: under && account === '' ? undefined : readOwner(caller, account),
      workspace: workspace === '' ? undefined : workspace,
      workspaces: under ? undefined : listedWorkspaces(caller),
      under: under && agentKey(under.identity),
    },
  }
}
