import { takeDueEndpoints, takeUnreadOutboxes } from '@skein/store'
import { LRUCache } from 'lru-cache'
import type { EngineResources } from '../../resources.ts'
import { EndpointWorker, HOLD_MS } from './endpoint-worker.ts'
import type { Post } from './post.ts'
import { relayOnce } from './relay.ts'

const TICK_MS = 500
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

/**
 * Takes events from the outbox to the receivers. Every server does it; what one holds, the others leave alone until its
 * time is over.
 */
export class WebhookLoops {
  readonly #engine: EngineResources
  readonly #post: Post
  readonly #onError: (error: unknown) => void
  readonly #stopping = new AbortController()
  readonly #pending = new Set<string>()
  readonly #without = new LRUCache<string, true>({ max: 100_000, ttl: WITHOUT_READER_MS })
  readonly #workers = new Map<Promise<void>, string>()
  readonly #relays = new Set<Promise<void>>()
  #unsubscribe: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #tick: Promise<void> | undefined
  #isTickWanted = false

  constructor(engine: EngineResources, post: Post, onError: (error: unknown) => void) {
    this.#engine = engine
    this.#post = post
    this.#onError = onError
  }

  start(): void {
    this.#unsubscribe = this.#engine.wakeups.onTenantChange((tenantId) => this.#notice(tenantId))
    this.#timer = setInterval(() => this.#look(), TICK_MS)
  }

  /** Requests in progress are awaited and recorded. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#unsubscribe?.()
    clearInterval(this.#timer)
    await Promise.all([this.#tick, ...this.#relays, ...this.#workers.keys()])
  }

  #notice(tenantId: string): void {
    if (this.#without.has(tenantId)) return
    this.#pending.add(tenantId)
    this.#relayPending()
  }

  #look(): void {
    if (this.#stopping.signal.aborted) return
    if (this.#tick) {
      this.#isTickWanted = true
      return
    }
    this.#isTickWanted = false
    this.#tick = this.#lookOnce()
      .catch((error: unknown) => this.#onError(error))
      .finally(() => {
        this.#tick = undefined
        if (this.#isTickWanted) this.#look()
      })
  }

  async #lookOnce(): Promise<void> {
    const { database } = this.#engine
    const unseen = await database.statement((transaction) =>
      takeUnreadOutboxes(transaction, { amount: UNSEEN_BATCH, unseenMs: UNSEEN_MS }),
    )
    for (const tenantId of unseen) this.#pending.add(tenantId)
    this.#relayPending()
    const amount = MAX_WORKERS - this.#workers.size
    if (amount <= 0) return
    const held = await database.statement((transaction) =>
      takeDueEndpoints(transaction, { amount, holdMs: HOLD_MS, busy: this.#busyTenants() }),
    )
    for (const endpoint of held) {
      const worker = new EndpointWorker(this.#engine, this.#post, endpoint)
        .run(this.#stopping.signal)
        .catch((error: unknown) => this.#onError(error))
        .finally(() => this.#workers.delete(worker))
      this.#workers.set(worker, endpoint.tenantId)
    }
  }

  #busyTenants(): string[] {
    const counts = Map.groupBy(this.#workers.values(), (tenantId) => tenantId)
    return [...counts].flatMap(([tenantId, { length }]) => (length < MAX_WORKERS_OF_TENANT ? [] : [tenantId]))
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
    if (lanes > 0) this.#look()
    // Behind the others, so that a tenant with much to read does not keep them waiting.
    if (isMore) this.#pending.add(tenantId)
  }
}
