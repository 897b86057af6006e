import type { Socket } from 'node:net'
import type { FrontLimits } from './front-limits.ts'
import { Rate } from './rate.ts'

interface Holder {
  readonly connections: Set<Socket>
  readonly requests: Rate
}

const SWEEP_FROM = 256

/** What each token is using. Only valid tokens get here, so there are no more than runs. */
export class Holders {
  readonly #limits: FrontLimits
  readonly #holders = new Map<string, Holder>()

  constructor(limits: FrontLimits) {
    this.#limits = limits
  }

  /** Counts the connection against the token while it lasts. False if there are too many. */
  take(token: string, connection: Socket): boolean {
    const { connections } = this.#of(token)
    if (connections.has(connection)) return true
    forgetClosed(connections)
    if (connections.size >= this.#limits.connections) return false
    connections.add(connection)
    return true
  }

  pass(token: string, signal: AbortSignal): Promise<boolean> {
    return this.#of(token).requests.pass(1, signal)
  }

  #of(token: string): Holder {
    const known = this.#holders.get(token)
    if (known) return known
    if (this.#holders.size >= SWEEP_FROM) this.#sweep()
    const holder = { connections: new Set<Socket>(), requests: new Rate(this.#limits.requests) }
    this.#holders.set(token, holder)
    return holder
  }

  #sweep(): void {
    for (const [token, { connections, requests }] of this.#holders) {
      forgetClosed(connections)
      if (connections.size === 0 && requests.isIdle) this.#holders.delete(token)
    }
  }
}

function forgetClosed(connections: Set<Socket>): void {
  for (const connection of connections) if (connection.destroyed) connections.delete(connection)
}
