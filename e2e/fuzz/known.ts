import type { Random } from '@skein/testkit'
import type { Json } from './hostile-json.ts'

const MAX_KEPT = 50

/** Values from responses, so that later requests refer to existing agents, leases and messages. */
export class Known {
  readonly #values = new Map<string, Json[]>()

  /** Looks only at a response's top level and its runs. */
  learn(answer: unknown): void {
    if (typeof answer !== 'object' || answer === null) return
    for (const name of ['agentId', 'followUpId', 'lease', 'runId'])
      this.#keep(name, Reflect.get(answer, name))
    const runs: unknown = Reflect.get(answer, 'runs')
    if (Array.isArray(runs)) for (const run of runs) this.learn(run)
  }

  /** The body with known values in place of the example's. */
  fill(random: Random, body: Json): Json {
    if (Array.isArray(body)) return body.map((item: Json) => this.fill(random, item))
    if (typeof body !== 'object' || body === null) return body
    return Object.fromEntries(
      Object.entries(body).map(([name, value]: [string, Json]) => {
        const kept = this.#values.get(name)
        return [name, kept && random.chance(0.6) ? random.pick(kept) : this.fill(random, value)]
      }),
    )
  }

  #keep(name: string, value: unknown): void {
    if (value === undefined) return
    const kept = this.#values.get(name) ?? []
    // Only parsed responses get here.
    kept.push(value as Json)
    if (kept.length > MAX_KEPT) kept.shift()
    this.#values.set(name, kept)
  }
}
