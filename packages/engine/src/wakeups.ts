import type { AgentChange } from '@skein/core'
import type { Listener, NotificationBus } from '@skein/store'

/** How often everyone who waits is looked after, in case a notification was lost. */
const SAFETY_NET_MS = 5_000

const COALESCE_MS = 15

/** When to give up waiting: the caller is gone, or the time it preferred is over. */
export interface Patience {
  readonly signal: AbortSignal
  readonly deadlineMs?: number | undefined
}

/** Which of these agents changed within this time; asked of the database, for all who wait at once. */
export type FindChanged = (agentIds: readonly string[], withinMs: number) => Promise<readonly string[]>

/**
 * Wakes whoever waits for an agent, a tenant's list or a pool's queue: at once within this process, and through
 * the database in every other. Published after the commit and outside of it, because NOTIFY in a transaction
 * makes commits wait for each other. A lost wake-up costs time, never an event: one query every few seconds finds
 * what was missed.
 */
export class Wakeups {
  readonly #bus: NotificationBus
  readonly #findChanged: FindChanged
  readonly #waiters = new Map<string, Set<() => void>>()
  readonly #pending = new Set<string>()
  #flushTimer: NodeJS.Timeout | undefined
  #safetyNet: NodeJS.Timeout | undefined
  #listener: Listener | undefined
  #waiting = 0
  #wakeCount = 0

  constructor(bus: NotificationBus, findChanged: FindChanged) {
    this.#bus = bus
    this.#findChanged = findChanged
  }

  async start(): Promise<void> {
    this.#listener = await this.#bus.listen((keys) => this.#wake(keys))
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
      // A run that ended makes room for one that waits for a limit.
      ...(events.some(({ event }) => event.type === 'run.queued' || event.type === 'run.ended')
        ? poolTopics(tenantId, agent.pool)
        : []),
    ])
    const topics = [...keys, tenantTopic(tenantId)]
    this.#wake(topics)
    for (const topic of topics) this.#pending.add(topic)
    this.#flushTimer ??= setTimeout(() => void this.#flush(), COALESCE_MS)
  }

  /** In this process only: every server looks after retries itself. */
  wakePool(tenantId: string, pool: string): void {
    this.#wake(poolTopics(tenantId, pool))
  }

  /**
   * Looks, and looks again each time one of the topics is woken, until there is an answer. Answers undefined when
   * the deadline comes first, and throws the signal's reason when the caller is gone. Who has looked in vain already
   * says at which `wakeCount` it began to, and is spared the first look if nothing at all was woken since.
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

  /** Subscribed from now on: what happens between two looks is not missed. Must be closed. */
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
    // Not by the clock once it has gone off: timers do so up to a millisecond early, and only once.
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

  /** Requests that wait for something right now. */
  get waiting(): number {
    return this.#waiting
  }

  /** Grows with each wake-up of whatever topic: tells whoever must read to learn its topic what it may have missed. */
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
    const keys = [...this.#pending]
    this.#pending.clear()
    if (keys.length > 0) await this.#bus.notify(keys)
  }

  #wake(topics: readonly string[]): void {
    if (topics.length > 0) this.#wakeCount += 1
    for (const topic of topics) for (const notice of this.#waiters.get(topic) ?? []) notice()
  }

  /** Agents are asked about in one query; the few who wait for a pool or a list just look. */
  async #catchUp(): Promise<void> {
    const topics = [...this.#waiters.keys()]
    const agentIds = topics.filter((topic) => topic.startsWith('a:')).map((topic) => topic.slice(2))
    this.#wake(topics.filter((topic) => !topic.startsWith('a:')))
    if (agentIds.length === 0) return
    try {
      const changed = await this.#findChanged(agentIds, 3 * SAFETY_NET_MS)
      this.#wake(changed.map(agentTopic))
    } catch {
      // The database is away: the next round asks again.
    }
  }
}

export interface Waiter {
  next(): Promise<'woken' | 'deadline'>
  close(): void
}

export const agentTopic = (agentId: string): string => `a:${agentId}`
export const tenantTopic = (tenantId: string): string => `t:${tenantId}`
/** A pool of one tenant, or with `*` the pools of this name in every tenant. */
export const poolTopic = (tenantId: string, pool: string): string => `p:${tenantId}/${pool}`

function poolTopics(tenantId: string, pool: string): string[] {
  return [poolTopic(tenantId, pool), poolTopic('*', pool)]
}
