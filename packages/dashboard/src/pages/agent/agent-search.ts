const AGENT_TABS = [
  'conversation',
  'tasks',
  'queue',
  'children',
  'runs',
  'changes',
  'branches',
  'settings',
] as const
export type AgentTab = (typeof AGENT_TABS)[number]

export interface AgentSearch {
  /** Default: the conversation. */
  readonly tab?: AgentTab
  /** The sequence of the event to show. */
  readonly event?: number
}

/** Invalid values are dropped rather than rejected: old links should still lead to the agent. */
export function readAgentSearch(search: Record<string, unknown>): AgentSearch {
  const tab = readAgentTab(search['tab'])
  const event = Number(search['event'])
  return {
    ...(tab !== undefined && tab !== 'conversation' && { tab }),
    ...(Number.isSafeInteger(event) && event > 0 && { event }),
  }
}

export function readAgentTab(value: unknown): AgentTab | undefined {
  return AGENT_TABS.find((tab) => tab === value)
}
