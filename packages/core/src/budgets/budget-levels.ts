/** How much of a monthly budget is spent when people are told, in percent. */
const LEVELS = [100, 80, 50] as const

/** What people know about a month of a budget. */
export interface BudgetNotice {
  /** The highest level they were told about; 0 for none. */
  readonly percent: number
  /** What the budget was then. */
  readonly amountMicros: bigint
}

/**
 * What people know after a look at the budget, and whether they have to be told now. Each level once a month. If several
 * were reached since the last look, only the highest. After the budget was raised, levels above what is spent of it are
 * news again.
 */
export function noteLevel(
  known: BudgetNotice | undefined,
  { spentMicros, amountMicros }: { readonly spentMicros: bigint; readonly amountMicros: bigint },
): BudgetNotice & { readonly isNews: boolean } {
  const reached = LEVELS.find((level) => spentMicros * 100n >= amountMicros * BigInt(level)) ?? 0
  const told = known?.percent ?? 0
  const isRaised = known !== undefined && known.amountMicros < amountMicros
  const percent = isRaised ? Math.min(told, reached) : told
  return { percent: Math.max(percent, reached), amountMicros, isNews: reached > percent }
}
