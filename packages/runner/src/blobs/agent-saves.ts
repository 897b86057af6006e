import type { BlobStore } from '@skein/host/blobs'

const AT_ONCE = 16

/**
 * The saved conversations of one agent. Each is marked before it is stored, so that what a killed attempt has stored
 * is found although the service never heard of it (ADR 0069).
 */
export class AgentSaves {
  readonly #store: BlobStore
  readonly #group: string

  constructor(store: BlobStore, agentHash: string) {
    this.#store = store
    this.#group = `sessions/${agentHash}`
  }

  /** Always below the agent's own prefix, whatever an earlier runner reported. */
  keyOf(snapshot: string): string {
    return `${this.#group}/${snapshot}`
  }

  /** Calls `write` with the key to store it under. False if nothing was stored. */
  async add(snapshot: string, write: (key: string) => Promise<boolean>): Promise<boolean> {
    await this.#store.mark(this.#group, snapshot)
    const isStored = await write(this.keyOf(snapshot))
    // Again: if this attempt is no longer the current one, a newer one may have removed the mark by now.
    if (isStored) await this.#store.mark(this.#group, snapshot)
    else await this.#store.unmark(this.#group, snapshot)
    return isStored
  }

  list(): Promise<string[]> {
    return this.#store.listMarks(this.#group)
  }

  /** As many as it can. Throws if some could not be removed. */
  async remove(snapshots: readonly string[]): Promise<void> {
    const failures: unknown[] = []
    for (let first = 0; first < snapshots.length; first += AT_ONCE) {
      const some = snapshots.slice(first, first + AT_ONCE).map((snapshot) => this.#removeOne(snapshot))
      for (const outcome of await Promise.allSettled(some))
        if (outcome.status === 'rejected') failures.push(outcome.reason)
    }
    if (failures.length > 0) throw failures[0]
  }

  /** The mark goes last: until then, an interrupted removal can be repeated. */
  async #removeOne(snapshot: string): Promise<void> {
    await this.#store.remove(this.keyOf(snapshot))
    await this.#store.unmark(this.#group, snapshot)
  }
}
