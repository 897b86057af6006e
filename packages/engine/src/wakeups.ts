import type { AgentChange } from '@skein/core'
import type { Listener, NotificationBus } from '@skein/store'

/** How often all waiters are checked, in case a notification was lost. */
const SAFETY_NET_MS = 5_000

/** A server sends at most one notification in this time, so that one with many changes does not keep all others busy. */
const NOTIFY_EVERY_MS = 15

/** When to stop waiting: the caller disconnected, or its deadline passed. */
export interface Patience {
  readonly signal: AbortSignal
  readonly deadlineMs?: number | undefined
}

/** Which of these agents changed within this time. One query for all waiters. */
export type FindChanged = (agentIds: readonly string[], withinMs: number) => Promise<readonly string[]>

/**
 * Wakes everyone waiting for an agent, a tenant's list or a pool's queue: immediately in this process, through the
 * database in all others. Published after the commit and outside the transaction, because NOTIFY inside it would
 * serialize commits. A lost wake-up costs time, never an event: a query every few seconds finds what was missed.
 */
export class Wakeups {
  readonly #bus: NotificationBus
  readonly #findChanged: FindChanged
  readonly #onReturn: (lagMs: number) => void
  readonly #waiters = new Map<string, Set<() => void>>()
  readonly #pending = new Set<string>()
  readonly #tenantListeners = new Set<(tenantId: string) => void>()
  #flushTimer: NodeJS.Timeout | undefined
  #safetyNet: NodeJS.Timeout | undefined
  #listener: Listener | undefined
  #waiting = 0
  #wakeCount = 0
  #pendingSince = 0
  #flushedAt = -Infinity
  /** A notification on its way to the database and back: a sample of what other servers wait for theirs. */
  #sample: { readonly topic: string; readonly since: number } | undefined

  constructor(
    bus: NotificationBus,
    findChanged: FindChanged,
    onReturn: (lagMs: number) => void = () => undefined,
  ) {
    this.#bus = bus
    this.#findChanged = findChanged
    this.#onReturn = onReturn
  }

  async start(): Promise<void> {
    this.#listener = await this.#bus.listen((keys) => {
      this.#wake(keys)
      if (this.#sample && keys.includes(this.#sample.topic)) this.#measure(this.#sample.since)
    })
    this.#safetyNet = setInterval(() => void this.#catchUp(), SAFETY_NET_MS)
  }

  async stop(): Promise<void> {
    clearInterval(this.#safetyNet)
    clearTimeout(this.#flushTimer)
    await this.#flush()
    await this.#listener?.stop()
  }

  publish(tenantId: string, changes: readonly AgentChange[]): void {
    if (changes.length === 0) return
    const keys = changes.flatMap(({ agent, events }) => [
      agentTopic(agent.id),
      // A run that ended makes room for one waiting for a limit.
      ...(events.some(({ event }) => event.type === 'run.queued' || event.type === 'run.ended')
        ? poolTopics(tenantId, agent.pool)
        : []),
    ])
    this.#announce([...keys, tenantTopic(tenantId)])
  }

  /** For changes that are not about agents. */
  publishAudit(tenantId: string): void {
    this.#announce([auditTopic(tenantId)])
  }

  #announce(topics: readonly string[]): void {
    this.#wake(topics)
    if (this.#pending.size === 0) this.#pendingSince = performance.now()
    for (const topic of topics) this.#pending.add(topic)
    if (this.#flushTimer) return
    const waitMs = this.#flushedAt + NOTIFY_EVERY_MS - performance.now()
    this.#flushTimer = setTimeout(() => void this.#flush(), Math.max(0, waitMs))
  }

  /** Calls back whenever agents of any tenant change, here or on another server. Must not throw. */
  onTenantChange(listener: (tenantId: string) => void): () => void {
    this.#tenantListeners.add(listener)
    return () => void this.#tenantListeners.delete(listener)
  }

  /** In this process only: every server handles retries itself. */
  wakePool(tenantId: string, pool: string): void {
    this.#wake(poolTopics(tenantId, pool))
  }

  /**
   * Calls `look` now and whenever one of the topics is woken, until it returns an answer. Returns undefined at the
   * deadline, and throws the signal's reason if the caller disconnects. A caller that has already looked passes the
   * `wakeCount` from before, and the first look is skipped if nothing was woken since.
   */
  async until<Answer>(
    topics: readonly string[],
    patience: Patience,
    look: () => Promise<Answer | undefined>,
    lookedAt?: number,
  ): Promise<Answer | undefined> {
    const waiter = this.waiter(topics, patience)
    try {
      for (let isCurrent = lookedAt === this.#wakeCount; ; isCurrent = false) {
        const answer = isCurrent ? undefined : await look()
        if (answer !== undefined) return answer
        if ((await waiter.next()) === 'deadline') return undefined
      }
    } finally {
      waiter.close()
    }
  }

  /** Subscribed immediately, so nothing between two looks is missed. Must be closed. */
  waiter(topics: readonly string[], { signal, deadlineMs }: Patience): Waiter {
    let isWoken = false
    let isLate = false
    let proceed: (() => void) | undefined
    const notice = (): void => {
      isWoken = true
      proceed?.()
    }
    const expire = (): void => {
      isLate = true
      notice()
    }
    // Don't compare clocks after the timer has fired: timers fire up to a millisecond early, and only once.
    const timer =
      deadlineMs === undefined ? undefined : setTimeout(expire, Math.max(0, deadlineMs - Date.now()))
    const unsubscribe = this.#subscribe(topics, notice)
    signal.addEventListener('abort', notice, { once: true })
    if (signal.aborted) notice()
    this.#waiting += 1
    return {
      next: async () => {
        if (!isWoken) await new Promise<void>((resolve) => void (proceed = resolve))
        isWoken = false
        if (signal.aborted) throw signal.reason
        return isLate ? 'deadline' : 'woken'
      },
      close: () => {
        clearTimeout(timer)
        unsubscribe()
        signal.removeEventListener('abort', notice)
        this.#waiting -= 1
      },
    }
  }

  /** Number of requests currently waiting. */
  get waiting(): number {
    return this.#waiting
  }

  /** Grows with every wake-up of any topic. For callers that must read first to learn their topic. */
  get wakeCount(): number {
    return this.#wakeCount
  }

  #subscribe(topics: readonly string[], notice: () => void): () => void {
    for (const topic of topics) {
      const waiters = this.#waiters.get(topic) ?? new Set()
      waiters.add(notice)
      this.#waiters.set(topic, waiters)
    }
    return () => {
      for (const topic of topics) {
        const waiters = this.#waiters.get(topic)
        waiters?.delete(notice)
        if (waiters?.size === 0) this.#waiters.delete(topic)
      }
    }
  }

  async #flush(): Promise<void> {
    this.#flushTimer = undefined
    this.#flushedAt = performance.now()
    const keys = [...this.#pending]
    this.#pending.clear()
    const [topic] = keys
    if (topic === undefined) return
    // Lost: its waiters had to wait for the safety net.
    if (this.#sample && performance.now() - this.#sample.since > SAFETY_NET_MS)
      this.#measure(this.#sample.since)
    this.#sample ??= { topic, since: this.#pendingSince }
    await this.#bus.notify(keys)
  }

  #measure(since: number): void {
    this.#sample = undefined
    this.#onReturn(performance.now() - since)
  }

  #wake(topics: readonly string[]): void {
    if (topics.length > 0) this.#wakeCount += 1
    for (const topic of topics) {
      for (const notice of this.#waiters.get(topic) ?? []) notice()
      if (topic.startsWith('t:')) for (const listener of this.#tenantListeners) listener(topic.slice(2))
    }
  }

  /** One query for all agents. The few who wait for a pool or a list just look. */
  async #catchUp(): Promise<void> {
    const topics = [...this.#waiters.keys()]
    const agentIds = topics.filter((topic) => topic.startsWith('a:')).map((topic) => topic.slice(2))
    this.#wake(topics.filter((topic) => !topic.startsWith('a:')))
    if (agentIds.length === 0) return
    try {
      const changed = await this.#findChanged(agentIds, 3 * SAFETY_NET_MS)
      this.#wake(changed.map(agentTopic))
    } catch {
      // The database is unavailable: the next round asks again.
    }
  }
}

export interface Waiter {
  next(): Promise<'woken' | 'deadline'>
  close(): void
}

export const agentTopic = (agentId: string): string => `a:${agentId}`
export const tenantTopic = (tenantId: string): string => `t:${tenantId}`
/** The audit log of a tenant, for entries that are not about agents. */
export const auditTopic = (tenantId: string): string => `u:${tenantId}`
/** A pool of one tenant, or with `*` the pools of that name in all tenants. */
export const poolTopic = (tenantId: string, pool: string): string => `p:${tenantId}/${pool}`

function poolTopics(tenantId: string, pool: string): string[] {
  return [poolTopic(tenantId, pool), poolTopic('*', pool)]
}
