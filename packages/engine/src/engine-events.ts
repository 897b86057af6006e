import type { AgentChange } from '@skein/core'

/** What happens in the engine, for metrics. Counters start at zero with each process: the database has the truth. */
export type EngineEvent =
  /** After the commit. */
  | { readonly type: 'changed'; readonly changes: readonly AgentChange[] }
  | { readonly type: 'leases-expired'; readonly amount: number }
  | { readonly type: 'swept' }
  | { readonly type: 'sweep-failed' }
  /** Partitions were created and dropped. */
  | { readonly type: 'maintained' }
  /** A wake-up of this server went through the database and came back to it. */
  | { readonly type: 'wake-up-returned'; readonly lagMs: number }

type Listener = (event: EngineEvent) => void

export class EngineEvents {
  readonly #listeners = new Set<Listener>()

  /** Listeners must not throw. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  emit(event: EngineEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}
