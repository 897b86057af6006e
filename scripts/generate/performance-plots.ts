import { readResult, type ScaleResult } from '../../bench/results.ts'
import { OPERATIONS, type OperationName } from '../../bench/operations.ts'
import { drawPlot } from './plot.ts'

/** The plots of docs/performance.md by file, drawn from what the benchmarks saved. */
export const PERFORMANCE_PLOTS: Readonly<Record<string, () => Promise<string>>> = {
  'throughput.svg': () =>
    againstAgents('Requests a second, by agents at rest', 'requests/s', ({ perSecond }) => perSecond),
  'latency.svg': () => againstAgents('99th percentile, by agents at rest', 'ms', ({ p99Ms }) => p99Ms),
  'claim-time.svg': async () => {
    const { tenants } = await readResult('claims')
    return drawPlot({
      title: "PostgreSQL's CPU time for a claim, by waiting tenants",
      x: { label: 'waiting tenants', scale: 'logarithmic', ticks: tenants.map((point) => point.tenants) },
      y: { label: 'ms', scale: 'linear' },
      series: [{ name: 'claim', points: tenants.map((point) => [point.tenants, point.medianMs]) }],
    })
  },
  'wait-memory.svg': async () => {
    const { points } = await readResult('waits')
    return drawPlot({
      title: "A server's memory, by waiting clients",
      x: { label: 'waiting clients', scale: 'linear', ticks: points.map(({ clients }) => clients) },
      y: { label: 'MiB', scale: 'linear' },
      series: [
        { name: 'resident', points: points.map(({ clients, rssBytes }) => [clients, rssBytes / 2 ** 20]) },
      ],
    })
  },
}

type OperationResult = NonNullable<ScaleResult['operations'][OperationName]>

async function againstAgents(
  title: string,
  unit: string,
  of: (result: OperationResult) => number,
): Promise<string> {
  const { scales } = await readResult('operations')
  return drawPlot({
    title,
    x: { label: 'agents at rest', scale: 'logarithmic', ticks: scales.map(({ agents }) => agents) },
    y: { label: unit, scale: 'logarithmic' },
    series: OPERATIONS.map((name) => ({
      name,
      points: scales.flatMap(({ agents, operations }) => {
        const result = operations[name]
        return result ? [[agents, of(result)] as const] : []
      }),
    })),
  })
}
