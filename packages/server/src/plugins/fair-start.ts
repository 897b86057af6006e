import { SkeinError } from '@skein/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** What one lane may hold in memory while it waits. */
const MAX_WAITING = 2_000
const MAX_WAITING_BYTES = 64 * 1024 * 1024
/** What is lately: who has begun nothing for twice as long does not count. */
const WINDOW_MS = 500
/** So many bytes, in or out, cost about as much as a small request. */
const BYTES_LIKE_ONE = 8_192
/** How much of the event loop a backlog may use up while others are present. */
const MOST_BUSY = 0.3
const MEASURED_MS = 20
const PAUSE_MS = 2
export const OF_RUNNERS = '/runner'

interface Waiter {
  readonly bytes: number
  readonly proceed: () => void
}

interface Lane {
  readonly waiters: Waiter[]
  bytes: number
}

/**
 * All tenants share one event loop. In each of its turns one request of each tenant may begin, so whoever sends
 * thousands waits behind itself. And while others are served too, whoever has begun more than its share lately goes on
 * only as far as the event loop stays idle most of the time: an answer takes several turns, and in each it waits for
 * whatever else is done.
 */
export class FairStart {
  readonly #lanes = new Map<string, Lane>()
  readonly #begun = new Set<string>()
  readonly #recent = new RecentCosts()
  readonly #isBusy: () => boolean
  #isScheduled = false

  constructor(isBusy: () => boolean = loopLoad(MOST_BUSY)) {
    this.#isBusy = isBusy
  }

  /** Resolves when it is this lane's turn: at once, if nothing of it has begun in this turn of the event loop. */
  async enter(name: string, bytes: number): Promise<void> {
    if (this.#begun.has(name) || this.#lanes.has(name)) return this.#wait(name, bytes)
    this.#begin(name, bytes)
    this.#schedule(0)
  }

  /** What the answer costs on top. */
  charge(name: string, bytes: number): void {
    this.#recent.add(tenantOf(name), bytes / BYTES_LIKE_ONE)
  }

  #wait(name: string, bytes: number): Promise<void> {
    const lane = this.#lanes.get(name) ?? { waiters: [], bytes: 0 }
    if (lane.waiters.length >= MAX_WAITING || lane.bytes + bytes > MAX_WAITING_BYTES) {
      throw new SkeinError('RATE_LIMITED', {
        message: 'Too many requests of your tenant are waiting already: send fewer at once.',
        retryDelayMs: 1_000,
      })
    }
    this.#lanes.set(name, lane)
    lane.bytes += bytes
    return new Promise((resolve) => lane.waiters.push({ bytes, proceed: resolve }))
  }

  #schedule(pauseMs: number): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    const turn = (): void => {
      this.#isScheduled = false
      this.#turn()
    }
    if (pauseMs === 0) setImmediate(turn)
    else setTimeout(turn, pauseMs)
  }

  #turn(): void {
    this.#begun.clear()
    const isBusy = this.#isBusy()
    let isHeldBack = false
    for (const [name, lane] of this.#lanes) {
      if (isBusy && this.#recent.isAboveShare(tenantOf(name))) isHeldBack = true
      else this.#beginFirst(name, lane)
    }
    if (this.#begun.size > 0) this.#schedule(0)
    else if (isHeldBack) this.#schedule(PAUSE_MS)
  }

  #beginFirst(name: string, lane: Lane): void {
    const waiter = lane.waiters.shift()
    if (lane.waiters.length === 0) this.#lanes.delete(name)
    if (!waiter) return
    lane.bytes -= waiter.bytes
    this.#begin(name, waiter.bytes)
    waiter.proceed()
  }

  #begin(name: string, bytes: number): void {
    this.#begun.add(name)
    this.#recent.add(tenantOf(name), 1 + bytes / BYTES_LIKE_ONE)
  }
}

/** A tenant's runners are not somebody else, next to whom it would be held back. */
function tenantOf(lane: string): string {
  return lane.endsWith(OF_RUNNERS) ? lane.slice(0, -OF_RUNNERS.length) : lane
}

/** What the requests of each tenant have cost in the present window and in the last one. */
class RecentCosts {
  #now = new Map<string, number>()
  #before = new Map<string, number>()
  #total = 0
  #endsAt = 0

  add(name: string, cost: number): void {
    this.#advance()
    this.#now.set(name, (this.#now.get(name) ?? 0) + cost)
    this.#total += cost
  }

  isAboveShare(name: string): boolean {
    this.#advance()
    const tenants = new Set([...this.#now.keys(), ...this.#before.keys()]).size
    return tenants > 1 && this.#of(name) > this.#total / tenants
  }

  #of(name: string): number {
    return (this.#now.get(name) ?? 0) + (this.#before.get(name) ?? 0)
  }

  #advance(): void {
    const now = performance.now()
    if (now < this.#endsAt) return
    const isLongAgo = now >= this.#endsAt + WINDOW_MS
    this.#before = isLongAgo ? new Map<string, number>() : this.#now
    this.#now = new Map()
    this.#endsAt = now + WINDOW_MS
    this.#total = [...this.#before.values()].reduce((sum, cost) => sum + cost, 0)
  }
}

/** Whether the event loop has been busier than this lately. */
function loopLoad(most: number): () => boolean {
  let mark = performance.eventLoopUtilization()
  let markedAt = performance.now()
  let isAbove = false
  return () => {
    const now = performance.now()
    if (now - markedAt < MEASURED_MS) return isAbove
    const current = performance.eventLoopUtilization()
    isAbove = performance.eventLoopUtilization(current, mark).utilization > most
    mark = current
    markedAt = now
    return isAbove
  }
}

const starts = new WeakMap<FastifyInstance, FairStart>()
const lanes = new WeakMap<FastifyRequest, string>()

export function installFairStart(app: FastifyInstance): void {
  const start = new FairStart()
  starts.set(app, start)
  app.addHook('preValidation', (request) => waitForTurn(request, 0))
  app.addHook('onSend', async (request, _reply, payload) => {
    const lane = lanes.get(request)
    if (lane !== undefined && typeof payload === 'string') start.charge(lane, payload.length)
  })
}

/** Before a body is parsed and anything is done for a caller. Whoever has no valid key waits by address. */
export async function waitForTurn(request: FastifyRequest, bytes: number): Promise<void> {
  if (lanes.has(request) || !request.routeOptions.config.operation) return
  const { caller, ip } = request
  // Runners have a lane of their own, so that whatever a tenant's people do, its runs go on.
  const lane = caller ? `${caller.tenantId}${caller.role === 'runner' ? OF_RUNNERS : ''}` : ip
  lanes.set(request, lane)
  await starts.get(request.server)?.enter(lane, bytes)
}
