import type { BenchClient } from './http-client.ts'
import type { Requests } from './operations.ts'

export interface Figure {
  readonly done: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU time of the server and PostgreSQL for each request. */
  readonly cpuMs: number
}

interface Load {
  readonly clients: readonly BenchClient[]
  /** Until nothing is left to do, if absent. */
  readonly seconds?: number
  /** CPU time used so far, in milliseconds. */
  readonly cpu: () => Promise<number>
  /** A planted slow-down: what each client, by its number, does besides every request. */
  readonly besides?: (client: number) => Promise<void>
}

/** All clients send one request after another. A request that fails ends the measurement: it does not count as fast. */
export async function measure(
  next: Requests,
  { clients, seconds = Infinity, cpu, besides }: Load,
): Promise<Figure> {
  const latencies: number[] = []
  const cpuBefore = await cpu()
  const started = performance.now()
  const end = started + seconds * 1000
  await Promise.all(
    clients.map(async (client, number) => {
      while (performance.now() < end) {
        const request = next()
        if (!request) return
        const before = performance.now()
        await request(client)
        await besides?.(number)
        latencies.push(performance.now() - before)
      }
    }),
  )
  const elapsedMs = performance.now() - started
  if (latencies.length === 0) throw new Error('Nothing was done, so there is nothing to measure')
  latencies.sort((left, right) => left - right)
  return {
    done: latencies.length,
    perSecond: (latencies.length / elapsedMs) * 1000,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    cpuMs: ((await cpu()) - cpuBefore) / latencies.length,
  }
}

/** Of sorted values. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}
