export interface BudgetShare {
  /** Percentage of the budget, 0 to 100. */
  readonly percent: number
  readonly tone: 'fine' | 'close' | 'spent'
}

/** How much of the budget is spent; undefined without a budget. */
export function readBudgetShare(treeCost: number, maxCost: number): BudgetShare | undefined {
  if (maxCost <= 0) return undefined
  const share = treeCost / maxCost
  const percent = Math.min(100, Math.round(share * 100))
  return { percent, tone: share >= 1 ? 'spent' : share >= 0.8 ? 'close' : 'fine' }
}
