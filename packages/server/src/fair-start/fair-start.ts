import { SkeinError } from '@skein/contract'
import { loopLoad } from './loop-load.ts'
import { RecentCosts } from './recent-costs.ts'

/** Maximum that may wait in one lane, because it is held in memory. */
const MAX_WAITING = 2_000
const MAX_WAITING_BYTES = 64 * 1024 * 1024
/** This many bytes, in or out, cost about as much as a small request. */
const BYTES_PER_REQUEST = 8_192
/** While other tenants are being served, a tenant above its share begins nothing when the event loop is busier. */
const BUSY_SHARE = 0.3
/**
 * What a turn begins, as a number of small requests, divided among the tenants being served. Reads that begin together
 * share a statement: with one per turn, the status of an agent took three times as long.
 */
const COST_PER_TURN = 20
const PAUSE_MS = 2
const RUNNERS = '/runner'

interface Waiter {
  readonly bytes: number
  readonly proceed: () => void
}

interface Lane {
  readonly waiters: Waiter[]
  bytes: number
}

/**
 * All tenants share one event loop. Each of its turns begins only a few requests per lane, so a tenant that sends
 * thousands waits behind itself. While other tenants are being served, one that used more than its share recently also
 * waits until the event loop is mostly idle: an answer takes several turns, and each waits for whatever else is running.
 */
export class FairStart {
  readonly #lanes = new Map<string, Lane>()
  /** What each lane began in this turn, as a number of small requests. */
  readonly #begun = new Map<string, number>()
  readonly #recent = new RecentCosts()
  readonly #isBusy: () => boolean
  #isScheduled = false

  constructor(isBusy: () => boolean = loopLoad(BUSY_SHARE)) {
    this.#isBusy = isBusy
  }

  /** Resolves when it is this lane's turn: immediately, unless the lane already began enough in this turn. */
  async enter(name: string, bytes: number): Promise<void> {
    if (!this.#mayBegin(name, bytes) || this.#lanes.has(name)) return this.#wait(name, bytes)
    this.#begin(name, bytes)
    this.#schedule(0)
  }

  /** Adds the cost of the response. */
  charge(name: string, bytes: number): void {
    this.#recent.addAnswer(tenantOf(name), bytes / BYTES_PER_REQUEST)
  }

  #mayBegin(name: string, bytes: number): boolean {
    const begun = this.#begun.get(name)
    if (begun === undefined) return true
    return begun + this.#expectedCost(name, bytes) <= COST_PER_TURN / this.#recent.tenants
  }

  /** A tenant with large answers begins one at a time, and so does one whose answers are not known yet. */
  #expectedCost(name: string, bytes: number): number {
    return costOf(bytes) + (this.#recent.answerCost(tenantOf(name)) ?? COST_PER_TURN)
  }

  #wait(name: string, bytes: number): Promise<void> {
    const lane = this.#lanes.get(name) ?? { waiters: [], bytes: 0 }
    if (lane.waiters.length >= MAX_WAITING || lane.bytes + bytes > MAX_WAITING_BYTES) {
      throw new SkeinError('RATE_LIMITED', {
        message: 'Too many requests from your tenant are already waiting. Send fewer at once.',
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
      else this.#beginSome(name, lane)
    }
    if (this.#begun.size > 0) this.#schedule(0)
    else if (isHeldBack) this.#schedule(PAUSE_MS)
  }

  #beginSome(name: string, lane: Lane): void {
    for (let [waiter] = lane.waiters; waiter && this.#mayBegin(name, waiter.bytes); [waiter] = lane.waiters) {
      lane.waiters.shift()
      lane.bytes -= waiter.bytes
      this.#begin(name, waiter.bytes)
      waiter.proceed()
    }
    if (lane.waiters.length === 0) this.#lanes.delete(name)
  }

  #begin(name: string, bytes: number): void {
    this.#begun.set(name, (this.#begun.get(name) ?? 0) + this.#expectedCost(name, bytes))
    this.#recent.add(tenantOf(name), costOf(bytes))
  }
}

function costOf(bytes: number): number {
  return 1 + bytes / BYTES_PER_REQUEST
}

/** Runners have their own lane, so a tenant's runs go on whatever its people do. */
export function laneOf(tenantId: string, isRunner: boolean): string {
  return isRunner ? `${tenantId}${RUNNERS}` : tenantId
}

/** Costs are counted per tenant, or a tenant would be held back next to its own runners. */
function tenantOf(lane: string): string {
  return lane.endsWith(RUNNERS) ? lane.slice(0, -RUNNERS.length) : lane
}
