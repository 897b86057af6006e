import { formatTimestamp, type Budget, type HeartbeatRun } from '@skein/contract'
import { AgentReader, BudgetStore, together, type LeaseRef, type ReservedCall } from '@skein/store'
import { leftOf, findBudget, type TightestBudget } from '../agents/budget.ts'
import { toDollars, toMicros } from '../agents/describe-agent.ts'
import type { EngineResources } from '../resources.ts'

/** Longer than any model call. The end of a run settles its call, so few reservations ever expire. */
const RESERVATION_MS = 60 * 60 * 1000

/** Decides about a run's next model call: what it and its tree may spend, and whether monthly budgets have room. */
export async function reserveCall(
  { database, clock, events }: EngineResources,
  { tenantId, agentId, runId, attempt }: LeaseRef,
  { estimate }: Pick<HeartbeatRun, 'estimate'>,
): Promise<Budget> {
  const now = clock.now()
  const { tree, month } = await database.forTenant(tenantId, async (transaction) => {
    const reader = new AgentReader(transaction)
    const [[agent], reserved] = await together([
      reader.findAll([agentId]),
      new BudgetStore(transaction).reserve({
        agentId,
        runId,
        attempt,
        estimateMicros: toMicros(estimate ?? 0),
        at: now,
        expiresAt: now + RESERVATION_MS,
      }),
    ])
    return { tree: await findBudget(reader, agent), month: reserved }
  })
  if (month?.refusal) events.emit({ type: 'budget-refused' })
  return describeBudgets(tree, month, estimate === undefined)
}

/**
 * The decision about monthly budgets is made here. Their numbers are only for runners that don't estimate the call:
 * either it has no price, so that no budget can be kept, or the runner decides by itself.
 */
function describeBudgets(
  tree: TightestBudget | undefined,
  month: ReservedCall | undefined,
  isUnpriced: boolean,
): Budget {
  const ofMonth = month && isUnpriced ? toTightest(month) : undefined
  const [tightest] = [tree, ofMonth]
    .filter((budget) => budget !== undefined)
    .toSorted((one, other) => Number(leftOf(one) - leftOf(other)))
  const refusal = month?.refusal && describeRefusal(month.refusal)
  return {
    isCapped: tightest !== undefined,
    maxCost: tightest ? toDollars(tightest.maxCostMicros) : 0,
    spent: tightest ? toDollars(tightest.spentMicros) : 0,
    ...(refusal !== undefined && { refusal }),
  }
}

function toTightest({ amountMicros, usedMicros }: ReservedCall): TightestBudget {
  return { maxCostMicros: amountMicros, spentMicros: usedMicros }
}

/** Without amounts: who sees the agent need not see the budget. */
function describeRefusal({ budget, until }: NonNullable<ReservedCall['refusal']>): string {
  const next = until === undefined ? 'when the next month begins' : `at ${formatTimestamp(until)}`
  return (
    `The budget ${budget} is used up for this month. The agent continues by itself when an admin raises it ` +
    `(skein edit budget ${budget}), or ${next}, with the next month.`
  )
}
