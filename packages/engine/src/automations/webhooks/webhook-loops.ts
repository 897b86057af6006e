import { takeDueEndpoints, takeUnreadOutboxes, type HeldEndpoint } from '@skein/store'
import { LRUCache } from 'lru-cache'
import { TenantLoop, workSource, type Turn } from '../../loops/tenant-loop.ts'
import { TenantWorkers } from '../../loops/tenant-workers.ts'
import type { EngineResources } from '../../resources.ts'
import { MessageWorker } from '../notifications/message-worker.ts'
import type { Senders } from '../notifications/send-message.ts'
import { HOLD_MS } from './endpoint-hold.ts'
import { EndpointWorker } from './endpoint-worker.ts'
import { relayOnce } from './relay.ts'

const LOOK_EVERY_MS = 500
/** An outbox that nobody looked at for this long is looked at, in case a wake-up was lost. */
const UNSEEN_MS = 3_000
const UNSEEN_BATCH = 200
/** How long a tenant without integrations is left alone, unless this server hears of a new one. */
const WITHOUT_READER_MS = 10_000
/** How soon something that an older transaction held up is looked for again. */
const SETTLE_MS = 25
const MAX_RELAYS = 4
const MAX_WORKERS = 100
/** So that slow receivers of one tenant leave room for others. */
const MAX_WORKERS_OF_TENANT = 25
const TAKEN_AT_ONCE = 10

/**
 * Takes events from the outbox to the receivers. Every server does it; what one holds, the others leave alone until its
 * time is over.
 */
export class WebhookLoops {
  readonly #engine: EngineResources
  readonly #senders: Senders
  readonly #onError: (error: unknown) => void
  readonly #stopping = new AbortController()
  readonly #pending = new Set<string>()
  readonly #without = new LRUCache<string, true>({ max: 100_000, ttl: WITHOUT_READER_MS })
  readonly #relays = new Set<Promise<void>>()
  readonly #endpoints: TenantLoop
  #unsubscribe: (() => void) | undefined

  constructor(engine: EngineResources, senders: Senders, onError: (error: unknown) => void) {
    this.#engine = engine
    this.#senders = senders
    this.#onError = onError
    const send = workSource(takeDueEndpoints, HOLD_MS, (endpoint, turn) =>
      this.#workerFor(endpoint, turn).run(turn.signal),
    )
    const workers = new TenantWorkers(MAX_WORKERS, MAX_WORKERS_OF_TENANT, TAKEN_AT_ONCE)
    const options = { kind: 'webhooks', everyMs: LOOK_EVERY_MS, first: () => this.#findUnread() } as const
    this.#endpoints = new TenantLoop(engine, { ...options, workers, sources: [send] }, onError)
  }

  start(): void {
    this.#unsubscribe = this.#engine.wakeups.onTenantChange((tenantId) => this.#notice(tenantId))
    this.#endpoints.start()
  }

  /** Requests in progress are awaited and recorded. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#unsubscribe?.()
    await this.#endpoints.stop()
    await Promise.all(this.#relays)
  }

  #notice(tenantId: string): void {
    if (this.#without.has(tenantId)) return
    this.#pending.add(tenantId)
    this.#relayPending()
  }

  async #findUnread(): Promise<void> {
    const { database } = this.#engine
    const unseen = await database.statement((transaction) =>
      takeUnreadOutboxes(transaction, { amount: UNSEEN_BATCH, unseenMs: UNSEEN_MS }),
    )
    for (const tenantId of unseen) this.#pending.add(tenantId)
    this.#relayPending()
  }

  #workerFor(endpoint: HeldEndpoint, { takenAt }: Turn): EndpointWorker | MessageWorker {
    return endpoint.isGrouped
      ? new MessageWorker(this.#engine, this.#senders, endpoint, takenAt)
      : new EndpointWorker(this.#engine, this.#senders.post, endpoint, takenAt)
  }

  #relayPending(): void {
    for (const tenantId of this.#pending) {
      if (this.#relays.size >= MAX_RELAYS || this.#stopping.signal.aborted) return
      this.#pending.delete(tenantId)
      const relay = this.#relay(tenantId)
        .catch((error: unknown) => this.#onError(error))
        .finally(() => {
          this.#relays.delete(relay)
          this.#relayPending()
        })
      this.#relays.add(relay)
    }
  }

  async #relay(tenantId: string): Promise<void> {
    const { hasReader, isMore, isUnsettled, lanes } = await relayOnce(this.#engine, tenantId)
    if (!hasReader) this.#without.set(tenantId, true)
    if (isUnsettled) setTimeout(() => this.#notice(tenantId), SETTLE_MS).unref()
    if (lanes > 0) this.#endpoints.look()
    // Behind the others, so that a tenant with much to read does not keep them waiting.
    if (isMore) this.#pending.add(tenantId)
  }
}
