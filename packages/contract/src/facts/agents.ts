interface AgentOwner {
  readonly workspace: string
  readonly ownerProvider: string
  readonly account: string
}

/**
 * Unique per agent within a tenant: agents of different owners may have the same path. The service stores it and
 * locks trees by it, so it must not change.
 */
export function agentKey({ workspace, ownerProvider, account }: AgentOwner, path: readonly string[]): string {
  return [workspace, ownerProvider, encodeURIComponent(account), ...path].join('/')
}
