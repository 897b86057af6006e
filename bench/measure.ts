export interface Figure {
  readonly name: string
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Runs `work` in this many concurrent loops for this long, after a warm-up, and measures it. */
export async function measure(
  name: string,
  { clients, seconds }: { clients: number; seconds: number },
  work: (client: number) => Promise<unknown>,
): Promise<Figure> {
  await run(clients, Math.min(1, seconds / 3), work)
  const { latencies, elapsedMs } = await run(clients, seconds, work)
  latencies.sort((left, right) => left - right)
  const at = (share: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return { name, perSecond: (latencies.length / elapsedMs) * 1000, p50Ms: at(0.5), p99Ms: at(0.99) }
}

async function run(clients: number, seconds: number, work: (client: number) => Promise<unknown>) {
  const latencies: number[] = []
  const started = performance.now()
  const end = started + seconds * 1000
  await Promise.all(
    Array.from({ length: clients }, async (_none, client) => {
      while (performance.now() < end) {
        const before = performance.now()
        await work(client)
        latencies.push(performance.now() - before)
      }
    }),
  )
  return { latencies, elapsedMs: performance.now() - started }
}

export function print({ name, perSecond, p50Ms, p99Ms }: Figure): void {
  console.log(
    `  ${name.padEnd(34)} ${perSecond.toFixed(0).padStart(7)}/s   p50 ${p50Ms.toFixed(1).padStart(6)} ms   p99 ${p99Ms.toFixed(1).padStart(6)} ms`,
  )
}
