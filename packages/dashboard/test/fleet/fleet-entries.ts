import type { FleetEntry, Phase } from '@skein/client'
import { toFleetItem, type FleetItem } from '../../src/live/fleet-item.ts'

/** An agent by its path, such as `release/docs`; the rest as usual. */
export function makeEntry(path: string, fields: Partial<FleetEntry> = {}): FleetEntry {
  return {
    agentId: {
      tenant: { provider: 'PROVIDER_CODEHOST_APP', org: 'acme' },
      ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
      account: 'ada',
      workspace: 'shop',
      agent: path.split('/'),
    },
    phase: 'PHASE_RUNNING' satisfies Phase,
    cost: 0,
    progressAt: '2026-11-15T09:00:00.000Z',
    repos: [],
    dashboardUrl: '',
    inputTokens: '0',
    cachedInputTokens: '0',
    outputTokens: '0',
    totalTokens: '0',
    needsInput: '',
    pendingReason: '',
    pendingUntil: '',
    createTime: '2026-11-15T08:00:00.000Z',
    endTime: '',
    labels: {},
    persona: '',
    model: '',
    maxCost: 0,
    budgetReached: 0,
    runCount: '1',
    errorMessage: '',
    openTasks: 0,
    totalTasks: 0,
    description: '',
    nextDeliverAt: '',
    lastMessage: '',
    ...fields,
  }
}

export function makeItem(path: string, fields: Partial<FleetEntry> = {}): FleetItem {
  return toFleetItem(makeEntry(path, fields))
}
