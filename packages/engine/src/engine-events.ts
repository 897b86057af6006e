import type { AgentChange } from '@skein/core'
import type { TriggerOutcome } from './automations/triggers/plan.ts'
import type { FiringOutcome, ReadFrom } from '@skein/store'

/** What servers look for without being asked. */
export type AutomationKind = 'webhooks' | 'triggers' | 'schedules' | 'leavers' | 'tenants'

/** `refused`: by the provider or by us; `unavailable`: the provider could not be asked. */
export type SignInOutcome = 'signed-in' | 'refused' | 'unavailable'

/** What happens in the engine, for metrics. Counters start at zero with each process: the database has the truth. */
export type EngineEvent =
  /** After the commit. */
  | {
      readonly type: 'changed'
      readonly tenantId: string
      readonly changes: readonly AgentChange[]
      /** The spans that queued runs come from, by the agent's id, as in the header `traceparent`. */
      readonly traces: ReadonlyMap<string, string>
    }
  /** Where something was read that may come from a replica. Not told if there is none. */
  | { readonly type: 'read'; readonly from: ReadFrom }
  /** Old events went from the table to the blob store. */
  | { readonly type: 'segment-moved'; readonly events: number; readonly bytes: number }
  /** They could not be moved now, or an object that nothing refers to any more could not be removed. Both are retried. */
  | { readonly type: 'segment-failed'; readonly cause: 'move' | 'remove' }
  /** Somebody wanted to read events of a segment. `unavailable`: the blob store could not be asked. */
  | {
      readonly type: 'segment-unreadable'
      readonly cause: 'damaged' | 'unavailable'
      /** Its name, for the log. */
      readonly object: string
      /** Why, if the store said so. */
      readonly error?: unknown
    }
  | { readonly type: 'leases-expired'; readonly amount: number }
  | { readonly type: 'swept' }
  | { readonly type: 'sweep-failed' }
  /** Partitions were created and dropped. */
  | { readonly type: 'maintained' }
  /** A server with the role looked for work of this kind. */
  | { readonly type: 'automations-looked'; readonly kind: AutomationKind }
  /** A firing of a schedule was recorded, so late. */
  | { readonly type: 'firing-due'; readonly lagMs: number }
  | { readonly type: 'firing-ended'; readonly outcome: FiringOutcome }
  /** A wake-up of this server went through the database and came back to it. */
  | { readonly type: 'wake-up-returned'; readonly lagMs: number }
  | {
      readonly type: 'delivery-attempted'
      readonly outcome: 'delivered' | 'failed' | 'gone'
      readonly latencyMs: number
    }
  /** Ranges of events were given up. */
  | {
      readonly type: 'dead-lettered'
      readonly amount: number
      readonly cause: 'expired' | 'disabled'
    }
  /** Not by its owner: its receiver did not want any more, or failed for days. */
  | {
      readonly type: 'integration-disabled'
      readonly tenantId: string
      readonly integration: string
      readonly because: string
    }
  /** A monthly budget had no room for a model call. */
  | { readonly type: 'budget-refused' }
  /** An agent that waited for a budget continues. */
  | { readonly type: 'budget-resumed' }
  /** People were told how much of a monthly budget is spent. */
  | { readonly type: 'budget-reached'; readonly percent: number }
  /** A code host is to be asked. */
  | { readonly type: 'code-host-asked' }
  /** A webhook of a code host came. */
  | { readonly type: 'host-webhook'; readonly outcome: 'new' | 'copy' | 'refused' }
  /** Somebody came back from an identity provider. */
  | { readonly type: 'signed-in'; readonly outcome: SignInOutcome }
  /** A request to a trigger was recorded. */
  | { readonly type: 'trigger-received'; readonly isNew: boolean }
  | { readonly type: 'trigger-refused'; readonly cause: 'unverified' | 'limited' }
  | { readonly type: 'trigger-applied'; readonly outcome: TriggerOutcome; readonly lagMs: number }

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
