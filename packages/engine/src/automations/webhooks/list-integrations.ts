import {
  formatTimestamp,
  integration as integrationKind,
  type IntegrationEntry,
  type IntegrationState,
} from '@skein/contract'
import type { Viewer } from '@skein/core'
import { DeliveryLog, EndpointStore, LaneStore, type EndpointState } from '@skein/store'
import { maybeTime } from '../../agents/describe-agent.ts'
import { listSeen } from '../../catalog/seen-resources.ts'
import type { EngineResources } from '../../resources.ts'
import { MAX_INTEGRATIONS, parseIntegration } from './destinations.ts'

const HOURS_SHOWN_MS = 24 * 60 * 60 * 1000

/** All integrations of a tenant, with the state of each. */
export function listIntegrations(
  { database, clock }: EngineResources,
  viewer: Viewer,
  tenantId: string,
): Promise<{ integrations: IntegrationEntry[] }> {
  return database.forTenant(tenantId, async (transaction) => {
    const records = await listSeen(transaction, viewer, integrationKind, {
      after: '',
      limit: MAX_INTEGRATIONS,
    })
    const names = records.map(({ name }) => name)
    const states = await new EndpointStore(transaction).find(names)
    const waiting = await new LaneStore(transaction).waiting(names)
    const hours = await new DeliveryLog(transaction).hours(names, clock.now() - HOURS_SHOWN_MS)
    const integrations = records.map(({ name, document }): IntegrationEntry => {
      const integration = document && parseIntegration(name, document)
      const state = states.get(name)
      return {
        name,
        type: integration?.type ?? '',
        url: integration?.url ?? '',
        to: [...(integration?.to ?? [])],
        state: stateOf(integration?.disabled === true, state),
        disabledBecause: state?.disabledBecause ?? '',
        failures: state?.failures ?? 0,
        failingSince: maybeTime(state?.failingSince),
        deliveredTime: maybeTime(state?.deliveredAt),
        nextAttemptTime: maybeTime(state?.dueAt),
        waitingAgents: waiting.get(name)?.amount ?? 0,
        waitingSince: maybeTime(waiting.get(name)?.since),
        hours: (hours.get(name) ?? []).map(({ hour, attempts, failures }) => ({
          time: formatTimestamp(hour),
          attempts,
          failures,
        })),
      }
    })
    return { integrations }
  })
}

function stateOf(isPaused: boolean, state: EndpointState | undefined): IntegrationState {
  if (isPaused) return 'PAUSED'
  if (state?.disabledAt !== undefined) return 'DISABLED'
  return state !== undefined && state.failures > 0 ? 'FAILING' : 'ACTIVE'
}
