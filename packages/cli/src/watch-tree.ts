import { SkeinApiError, type FleetEntry, type FleetFilter, type Skein } from '@skein/client'
import { setTimeout as pause } from 'node:timers/promises'
import { buildTree, keyOf, toFleetFilter, type AgentNode, type TreeFilter } from './agent-tree.ts'

/** Ages change even if nothing happens. */
const REFRESH_MS = 2_000
/** A fleet that changes a hundred times a second is drawn five times. */
const COALESCE_MS = 200

/** The current tree, again whenever it changes, and every few seconds. */
export async function* watchTree(
  skein: Skein,
  filter: TreeFilter,
  signal: AbortSignal,
): AsyncGenerator<AgentNode[], void> {
  const own = new AbortController()
  const fleet = new LiveFleet(skein, toFleetFilter(filter), AbortSignal.any([signal, own.signal]))
  const following = fleet.follow()
  try {
    await fleet.changed(Infinity)
    while (!signal.aborted) {
      yield buildTree([...fleet.entries.values()].sort(byNewest), filter)
      await fleet.rest(COALESCE_MS)
      await fleet.changed(REFRESH_MS)
    }
  } finally {
    own.abort()
    await following
  }
}

class LiveFleet {
  readonly #skein: Skein
  readonly #filter: FleetFilter
  readonly #signal: AbortSignal
  #entries = new Map<string, FleetEntry>()
  #hasChanged = false
  #failure: Error | undefined
  #wake: () => void = () => undefined

  constructor(skein: Skein, filter: FleetFilter, signal: AbortSignal) {
    this.#skein = skein
    this.#filter = filter
    this.#signal = signal
  }

  get entries(): ReadonlyMap<string, FleetEntry> {
    return this.#entries
  }

  /** Runs until the signal is aborted. Errors go to the caller waiting for a change. */
  async follow(): Promise<void> {
    while (!this.#signal.aborted && this.#failure === undefined) {
      try {
        await this.#watch(await this.#list())
      } catch (error) {
        // After a day without a connection, the cursor has expired.
        if (error instanceof SkeinApiError && error.reason === 'PAGE_TOKEN_INVALID') continue
        this.#failure = error instanceof Error ? error : new Error(String(error))
        this.#notify()
      }
    }
  }

  /** Resolves when something has changed since the last call, or after the limit. */
  async changed(limitMs: number): Promise<void> {
    if (!this.#hasChanged) {
      const woken = new Promise<void>((resolve) => (this.#wake = resolve))
      await Promise.race([woken, this.rest(limitMs)])
    }
    this.#hasChanged = false
    if (this.#failure && !this.#signal.aborted) throw this.#failure
  }

  async rest(ms: number): Promise<void> {
    const longest = Math.min(ms, 2 ** 31 - 1)
    await pause(longest, undefined, { signal: this.#signal }).catch(() => undefined)
  }

  async #list(): Promise<string> {
    const first = await this.#skein.listFleet({ ...this.#filter, signal: this.#signal })
    const entries = new Map(first.entries.map((entry) => [keyOf(entry.agentId), entry]))
    let { nextPageToken: pageToken } = first
    while (pageToken !== '') {
      const page = await this.#skein.listFleet({ ...this.#filter, pageToken, signal: this.#signal })
      for (const entry of page.entries) entries.set(keyOf(entry.agentId), entry)
      pageToken = page.nextPageToken
    }
    this.#entries = entries
    this.#notify()
    return first.cursor
  }

  async #watch(after: string): Promise<void> {
    for await (const { entry, isListed } of this.#skein.watchFleet(this.#filter, {
      after,
      signal: this.#signal,
    })) {
      if (isListed) this.#entries.set(keyOf(entry.agentId), entry)
      else this.#entries.delete(keyOf(entry.agentId))
      this.#notify()
    }
  }

  #notify(): void {
    this.#hasChanged = true
    this.#wake()
  }
}

function byNewest(a: FleetEntry, b: FleetEntry): number {
  return b.createTime.localeCompare(a.createTime)
}
