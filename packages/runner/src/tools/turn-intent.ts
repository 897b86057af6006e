/** How the agent wants its turn to end. The last declaration counts. */
export type Intent =
  | { readonly type: 'none' }
  | { readonly type: 'finish'; readonly result: string }
  | { readonly type: 'ask'; readonly question: string }
  | { readonly type: 'await'; readonly children: readonly string[] }

/** How often a finish with open tasks is rejected before the agent may rest with them. */
export const MAX_REFUSED_FINISHES = 3

/** One turn's intent, collected from its tool calls. */
export class TurnIntent {
  #intent: Intent = { type: 'none' }
  #refusedFinishes = 0

  get current(): Intent {
    return this.#intent
  }

  declare(intent: Intent): void {
    this.#intent = intent
  }

  /** Whether to reject a finish because tasks are open. */
  refuseFinish(openTasks: number): boolean {
    if (openTasks === 0 || this.#refusedFinishes >= MAX_REFUSED_FINISHES) return false
    this.#refusedFinishes += 1
    return true
  }
}
