import { formatAgentName, type FleetEntry, type Skein } from '@skein/client'
import { setTimeout as pause } from 'node:timers/promises'
import { buildTree, toFleetFilter, type AgentNode, type TreeFilter } from './agent-tree.ts'

/** Ages grow without anything happening. */
const REFRESH_MS = 2_000
/** A fleet that changes a hundred times a second is drawn five times. */
const COALESCE_MS = 200

/** The tree as it is, again whenever it changes, and every few seconds. */
export async function* watchTree(
  skein: Skein,
  filter: TreeFilter,
  signal: AbortSignal,
): AsyncGenerator<AgentNode[], void> {
  const fleetFilter = toFleetFilter(filter)
  const first = await skein.listFleet({ ...fleetFilter, signal })
  const entries = new Map<string, FleetEntry>()
  for (const entry of first.entries) entries.set(keyOf(entry), entry)
  if (first.nextPageToken !== '') {
    const rest = skein.fleet({ ...fleetFilter, pageToken: first.nextPageToken, signal })
    for await (const entry of rest) entries.set(keyOf(entry), entry)
  }
  const changed = new Signal()
  const watching = follow().catch((error: unknown) => changed.fail(error))
  try {
    while (!signal.aborted) {
      yield buildTree([...entries.values()].sort(byNewest), filter)
      await pause(COALESCE_MS, undefined, { signal }).catch(() => undefined)
      await changed.wait(REFRESH_MS, signal)
    }
  } finally {
    await watching
  }

  async function follow(): Promise<void> {
    for await (const { entry, isListed } of skein.watchFleet(fleetFilter, { after: first.cursor, signal })) {
      if (isListed) entries.set(keyOf(entry), entry)
      else entries.delete(keyOf(entry))
      changed.notify()
    }
  }
}

function keyOf({ agentId }: FleetEntry): string {
  return `${agentId.ownerProvider} ${agentId.account} ${formatAgentName(agentId)}`
}

function byNewest(a: FleetEntry, b: FleetEntry): number {
  return a.createTime < b.createTime ? 1 : a.createTime > b.createTime ? -1 : 0
}

/** One that waits, and what it waits for may have come before it did. */
class Signal {
  #isSet = false
  #failure: Error | undefined
  #wake: (() => void) | undefined

  notify(): void {
    this.#isSet = true
    this.#wake?.()
  }

  fail(error: unknown): void {
    this.#failure = error instanceof Error ? error : new Error(String(error))
    this.notify()
  }

  async wait(limitMs: number, signal: AbortSignal): Promise<void> {
    if (!this.#isSet) {
      const limit = new AbortController()
      this.#wake = () => limit.abort()
      await pause(limitMs, undefined, { signal: AbortSignal.any([signal, limit.signal]) }).catch(
        () => undefined,
      )
    }
    this.#isSet = false
    if (this.#failure) throw this.#failure
  }
}
