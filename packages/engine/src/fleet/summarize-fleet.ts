import {
  formatInt64,
  formatTimestamp,
  type ResponseOf,
  type summarizeFleet as operation,
} from '@skein/contract'
import { FleetSums, type FleetFilter } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { toDollars } from '../agents/describe-agent.ts'

const HOUR_MS = 3_600_000
const DEFAULT_HOURS = 24

type Summary = ResponseOf<typeof operation>

/** Counts live agents and those that ended within the period, and the cost per hour. */
export async function summarizeFleet(
  { database, clock }: EngineResources,
  tenantId: string,
  scope: Pick<FleetFilter, 'owner' | 'workspace' | 'workspaces' | 'under'>,
  hours = DEFAULT_HOURS,
): Promise<Summary> {
  const current = Math.floor(clock.now() / HOUR_MS) * HOUR_MS
  const times = Array.from({ length: hours }, (_, index) => current - (hours - 1 - index) * HOUR_MS)
  const [first = current] = times
  const { live, spent } = await database.forTenant(tenantId, async (transaction) => {
    const sums = new FleetSums(transaction)
    return { live: await sums.liveCounts(scope), spent: await sums.hoursSince(scope, first) }
  })
  const names = [...new Set([...live, ...spent].map(({ workspace }) => workspace))].sort()
  return {
    phases: [
      { phase: 'PHASE_PENDING', agents: count(live, (part) => part.pending) },
      { phase: 'PHASE_RUNNING', agents: count(live, (part) => part.running) },
      { phase: 'PHASE_WAITING', agents: count(live, (part) => part.waiting) },
      { phase: 'PHASE_COMPLETED', agents: count(spent, (part) => part.completed) },
      { phase: 'PHASE_FAILED', agents: count(spent, (part) => part.failed) },
      { phase: 'PHASE_CANCELED', agents: count(spent, (part) => part.canceled) },
    ],
    needsInput: count(live, (part) => part.asking),
    spend: times.map((time) => {
      const parts = spent.filter(({ hour }) => hour === time)
      return {
        time: formatTimestamp(time),
        cost: costOf(parts),
        inputTokens: formatInt64(sum(parts, (part) => part.inputTokens)),
        outputTokens: formatInt64(sum(parts, (part) => part.outputTokens)),
      }
    }),
    costTotal: costOf(spent),
    workspaces: names
      .map((workspace) => ({
        workspace,
        agents: count(of(live, workspace), ({ pending, running, waiting }) => pending + running + waiting),
        cost: costOf(of(spent, workspace)),
      }))
      .filter(({ agents, cost }) => agents > 0 || cost > 0),
  }
}

function of<Part extends { readonly workspace: string }>(parts: readonly Part[], workspace: string): Part[] {
  return parts.filter((part) => part.workspace === workspace)
}

function count<Part>(parts: readonly Part[], read: (part: Part) => number): number {
  return parts.reduce((total, part) => total + read(part), 0)
}

function sum<Part>(parts: readonly Part[], read: (part: Part) => bigint): bigint {
  return parts.reduce((total, part) => total + read(part), 0n)
}

function costOf(parts: readonly { readonly costMicros: bigint }[]): number {
  return toDollars(sum(parts, ({ costMicros }) => costMicros))
}
