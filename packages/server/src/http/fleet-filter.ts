import { specified, type AgentIdInput, type BodyOf, type watchFleet } from '@skein/contract'
import { agentKey, parseLabelSelector, type Caller } from '@skein/core'
import {
  findAgent,
  findTarget,
  resolveTenant,
  tenantOf,
  type EngineResources,
  type listFleet,
} from '@skein/engine'
import { ownId, readOwner } from './agent-filter.ts'

type Filter = Parameters<typeof listFleet>[2]
type FilterRequest = Omit<BodyOf<typeof watchFleet>, 'after'>

/** The filter of a fleet's list, watch or summary. */
export async function readFleetFilter(
  engine: EngineResources,
  caller: Caller,
  request: FilterRequest,
): Promise<{ tenant: Parameters<typeof listFleet>[1]; filter: Filter }> {
  const { tenant: asked, account = '', workspace = '' } = request
  // A run sees only its own descendants, whatever it asks for.
  const underId: AgentIdInput | undefined = request.under ?? ownId(caller)
  const under =
    underId && (await findTarget(engine, caller, { ...underId, ...(asked && { tenant: asked }) }, 'under'))
  if (under) await findAgent(engine, under)
  const tenantId = under?.tenantId ?? (await resolveTenant(engine, caller, asked))
  const phases = request.phases?.flatMap((phase) => specified(phase) ?? [])
  return {
    tenant: { tenantId, tenant: under?.tenant ?? tenantOf(caller, { ...(asked && { tenant: asked }) }) },
    filter: {
      // A tree is shown whoever owns it.
      owner: under && account === '' ? undefined : readOwner(caller, account),
      workspace: workspace === '' ? undefined : workspace,
      under: under && agentKey(under.identity),
      includeTerminal: request.includeTerminal ?? false,
      phases: phases && phases.length > 0 ? phases : undefined,
      labels: parseLabelSelector(request.labelSelector ?? ''),
    },
  }
}
