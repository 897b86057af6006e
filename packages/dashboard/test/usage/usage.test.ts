import type { ReadUsageResponse } from '@skein/client'
import { usageToCsv } from '@skein/client'
import { describe, expect, test } from 'vitest'
import { describeUsage, stackBars, toSeries } from '../../src/pages/usage/stack-usage.ts'
import { readUsageSearch, toUsageOptions } from '../../src/pages/usage/usage-search.ts'

const counts = (cost: number) => ({
  cost,
  inputTokens: cost === 0 ? '0' : '10',
  cachedInputTokens: '0',
  outputTokens: '0',
})
const group = (name: string, ...costs: number[]) => ({
  name,
  ...counts(costs.reduce((sum, cost) => sum + cost, 0)),
  times: costs.map(counts),
})
const TIMES = ['2026-11-17T00:00:00.000Z', '2026-11-18T00:00:00.000Z']

function usageOf(...groups: ReadUsageResponse['groups'][number][]): ReadUsageResponse {
  return { times: TIMES, groups, otherGroups: 0, total: counts(1) }
}

describe('the plot', () => {
  test('stacks groups, the highest bar to the top', () => {
    const bars = stackBars(TIMES, toSeries(usageOf(group('shop', 3, 1), group('', 1, 0))))
    expect(bars.map(({ cost }) => cost)).toEqual([4, 1])
    expect(bars[0]?.segments).toEqual([
      { name: 'shop', series: 0, from: 0, to: 0.75 },
      { name: 'none', series: 1, from: 0.75, to: 1 },
    ])
    expect(bars[1]?.segments).toEqual([{ name: 'shop', series: 0, from: 0, to: 0.25 }])
    expect(describeUsage(bars, false)).toBe('Cost per day: the highest was $4.00, Nov 17.')
  })

  test('has one series for all that cannot be told apart', () => {
    const many = Array.from({ length: 9 }, (_, index) => group(`g${index}`, 1, 0))
    const series = toSeries({ ...usageOf(...many), others: group('', 5, 5), otherGroups: 40 })
    expect(series).toHaveLength(7)
    expect(series.at(-1)).toEqual({ name: 'others', cost: 13, costs: [8, 5] })
  })

  test('of nothing says so', () => {
    expect(describeUsage(stackBars(TIMES, []), true)).toBe('Cost per hour: nothing was spent.')
  })
})

test('a CSV has a line for what was used, and no cell that a spreadsheet would calculate', () => {
  expect(usageToCsv(usageOf(group('=1+1', 1, 0), group('a,"b"', 0, 2)))).toBe(
    'time,group,cost,inputTokens,cachedInputTokens,outputTokens\r\n' +
      "2026-11-17T00:00:00.000Z,'=1+1,1,10,0,0\r\n" +
      '2026-11-18T00:00:00.000Z,"a,""b""",2,10,0,0\r\n',
  )
})

test('the URL decides what is shown, and a label has to be named first', () => {
  expect(toUsageOptions(readUsageSearch({}))).toEqual({ period: '24h', groupBy: 'workspace' })
  expect(readUsageSearch({ period: '1y', by: 'mood', label: 'x' })).toEqual({})
  expect(toUsageOptions(readUsageSearch({ by: 'label' }))).toBeUndefined()
  expect(toUsageOptions(readUsageSearch({ period: '7d', by: 'label', label: 'project' }))).toEqual({
    period: '7d',
    groupBy: 'label',
    label: 'project',
  })
})
