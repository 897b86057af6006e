/** What happens in a tenant, but to none of its agents. */
export interface TenantEvent {
  readonly type: 'integration.disabled'
  readonly integration: string
  readonly because: string
  /** Who wrote the integration last. */
  readonly owner: string
}

export function isTenantEvent(event: { readonly type: string }): event is TenantEvent {
  return event.type === 'integration.disabled'
}
