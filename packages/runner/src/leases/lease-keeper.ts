import { setTimeout as pause } from 'node:timers/promises'
import { SkeinApiError, type Transport } from '@skein/client'
import { heartbeatRuns, type RunCommand } from '@skein/contract'
import { aborted } from '../aborted.ts'
import { expiryOf, outageHeard, renewedAt, type LeaseTime } from './lease-time.ts'

/** Callbacks for a lease's holder. */
export interface LeaseListener {
  readonly leaseMs: number
  onCommand(command: RunCommand): void
  /** The run belongs, or may belong, to another runner: the lease could not be renewed in time. */
  onLost(): void
}

interface HeldLease {
  readonly listener: LeaseListener
  /** Messages already passed on. The service keeps repeating those the agent cannot accept. */
  readonly heard: Set<string>
  time: LeaseTime
}

const HOLD_MS = 10_000
const RETRY_MS = 500

/**
 * Renews the leases of all runs with one long-polling request, so that a stop arrives immediately. A run whose lease
 * cannot be renewed is given up, because another runner may have it by now, except while the service reports that it
 * cannot reach its database, because then nobody can.
 */
export class LeaseKeeper {
  readonly #transport: Transport
  readonly #now: () => number
  readonly #held = new Map<string, HeldLease>()
  /** Ends the open request when its set of runs has changed. */
  #changed = new AbortController()

  constructor(transport: Transport, now: () => number) {
    this.#transport = transport
    this.#now = now
  }

  hold(lease: string, listener: LeaseListener): void {
    this.#held.set(lease, { listener, heard: new Set(), time: renewedAt(this.#now()) })
    this.#changed.abort()
  }

  release(lease: string): void {
    this.#held.delete(lease)
  }

  /** Runs until the signal is aborted. */
  async keep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#changed = new AbortController()
      const either = AbortSignal.any([signal, this.#changed.signal])
      if (this.#held.size === 0) await aborted(either)
      else if (!(await this.#renew(either)) && !either.aborted) {
        await pause(RETRY_MS, undefined, { signal }).catch(() => {})
      }
      this.#giveUpExpired()
    }
  }

  async #renew(signal: AbortSignal): Promise<boolean> {
    const askedAt = this.#now()
    const { holdMs, expiresInMs } = this.#patience(askedAt)
    try {
      const { runs } = await this.#transport.call(heartbeatRuns, {
        body: {
          runs: [...this.#held].map(([lease, { heard }]) => ({ lease, heard: [...heard] })),
          waitMs: holdMs,
        },
        // A response after the lease has expired is useless.
        signal: AbortSignal.any([signal, AbortSignal.timeout(expiresInMs)]),
        retries: 0,
        timeoutMs: 5_000,
      })
      for (const { lease, isCurrent, commands } of runs) this.#hear(lease, isCurrent, commands, askedAt)
      // A command is repeated until it is done, so asking again immediately would only return it again.
      if (runs.some(({ commands }) => commands.length > 0)) await pause(100)
      return true
    } catch (error) {
      if (isDatabaseAway(error)) this.#hearOutage(askedAt)
      return false
    }
  }

  #hearOutage(askedAt: number): void {
    const heardAt = this.#now()
    for (const held of this.#held.values()) held.time = outageHeard(held.time, askedAt, heardAt)
  }

  /**
   * A request is held at most until the oldest renewal is a third of its lease old. Runs that come and go end a held
   * request before its response, and the others must not wait for that response forever.
   */
  #patience(now: number): { holdMs: number; expiresInMs: number } {
    const held = [...this.#held.values()]
    const dueInMs = Math.min(...held.map(({ listener, time }) => time.renewedAt + listener.leaseMs / 3 - now))
    const expiresInMs = Math.min(...held.map(({ listener, time }) => expiryOf(time, listener.leaseMs) - now))
    return {
      holdMs: Math.floor(Math.max(0, Math.min(HOLD_MS, dueInMs))),
      expiresInMs: Math.max(1, Math.ceil(expiresInMs)),
    }
  }

  #hear(lease: string, isCurrent: boolean, commands: readonly RunCommand[], askedAt: number): void {
    const held = this.#held.get(lease)
    if (!held) return
    if (!isCurrent) return this.#lose(lease)
    held.time = renewedAt(askedAt)
    for (const command of commands) {
      if (command.type === 'STEER') held.heard.add(command.followUpId)
      held.listener.onCommand(command)
    }
  }

  #giveUpExpired(): void {
    for (const [lease, { listener, time }] of this.#held) {
      if (this.#now() > expiryOf(time, listener.leaseMs)) this.#lose(lease)
    }
  }

  #lose(lease: string): void {
    const held = this.#held.get(lease)
    this.#held.delete(lease)
    held?.listener.onLost()
  }
}

/** Reported by the service itself, not by a proxy in front of it. */
function isDatabaseAway(error: unknown): boolean {
  return error instanceof SkeinApiError && error.reason === 'DATABASE_UNAVAILABLE'
}
