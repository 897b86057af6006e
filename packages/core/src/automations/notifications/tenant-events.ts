/** What happens in a tenant, but to none of its agents. */
export type TenantEvent = IntegrationDisabled | BudgetReached

interface IntegrationDisabled {
  readonly type: 'integration.disabled'
  readonly integration: string
  readonly because: string
  /** Who wrote the integration last. */
  readonly owner: string
}

interface BudgetReached {
  readonly type: 'budget.reached'
  readonly budget: string
  /** 50, 80 or 100. */
  readonly percent: number
  /** US dollars. */
  readonly amount: number
  readonly spent: number
  /** Whether calls are refused from now on. */
  readonly refuses: boolean
  /** When the next month begins. */
  readonly until: string
}

export function isTenantEvent(event: { readonly type: string }): event is TenantEvent {
  return event.type === 'integration.disabled' || event.type === 'budget.reached'
}
