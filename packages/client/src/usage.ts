import type { RequestOptions } from './call/connection.ts'
import type { ReadUsageRequest, ReadUsageResponse } from './generated/types.ts'

/**
 * Which usage, and how it is added up.
 *
 * @example
 * import type { UsageOptions } from '@skein/client'
 *
 * const lastMonth: UsageOptions = { period: '30d', groupBy: 'label', label: 'project' }
 */
export interface UsageOptions extends ReadUsageRequest, RequestOptions {}

const TITLES = ['time', 'group', 'cost', 'inputTokens', 'cachedInputTokens', 'outputTokens']

/**
 * Usage as CSV (RFC 4180): a line for each time and group that used something.
 *
 * @example
 * import { usageToCsv } from '@skein/client'
 *
 * console.log(usageToCsv(await skein.usage({ period: '30d', groupBy: 'team' })))
 */
export function usageToCsv({ times, groups, others }: ReadUsageResponse): string {
  const all = [...groups, ...(others ? [{ ...others, name: 'all others' }] : [])]
  const lines = times.flatMap((time, index) =>
    all.flatMap((group) => {
      const used = group.times[index]
      if (!used || (used.cost === 0 && used.inputTokens === '0' && used.outputTokens === '0')) return []
      const { cost, inputTokens, cachedInputTokens, outputTokens } = used
      return [[time, group.name, String(cost), inputTokens, cachedInputTokens, outputTokens]]
    }),
  )
  return [TITLES, ...lines].map((cells) => `${cells.map(toCell).join(',')}\r\n`).join('')
}

/** Spreadsheets take a text that begins like a formula for one, and people choose names of groups freely. */
function toCell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
