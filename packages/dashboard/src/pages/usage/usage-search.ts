import type { UsageOptions } from '@skein/client'

export const PERIODS = ['24h', '7d', '30d'] as const
export const GROUPINGS = ['workspace', 'team', 'persona', 'model', 'account', 'label'] as const

/** What the usage page shows, from the URL. */
export interface UsageSearch {
  readonly period?: (typeof PERIODS)[number]
  readonly by?: (typeof GROUPINGS)[number]
  readonly label?: string
}

export function readUsageSearch(search: Record<string, unknown>): UsageSearch {
  const period = PERIODS.find((known) => known === search['period'])
  const by = GROUPINGS.find((known) => known === search['by'])
  const { label } = search
  return {
    ...(period !== undefined && { period }),
    ...(by !== undefined && { by }),
    ...(by === 'label' && typeof label === 'string' && label !== '' && { label }),
  }
}

/** Undefined as long as there is nothing to ask: a label without a name. */
export function toUsageOptions({ period, by, label }: UsageSearch): UsageOptions | undefined {
  if (by === 'label' && label === undefined) return undefined
  return { period: period ?? '24h', groupBy: by ?? 'workspace', ...(label !== undefined && { label }) }
}
