import type { Desk } from './desk.ts'

/** Desks of agents between two turns. Each is closed when its time is over, or the oldest if there are too many. */
export class WarmDesks {
  readonly #warmMs: number
  readonly #room: number
  readonly #desks = new Map<string, { readonly desk: Desk; readonly timer: NodeJS.Timeout }>()
  /** Two sandboxes of one agent must never be open at once: the next run waits for these. */
  readonly #closing = new Map<string, Promise<void>>()

  constructor({ warmMs, room }: { warmMs: number; room: number }) {
    this.#warmMs = warmMs
    this.#room = room
  }

  get size(): number {
    return this.#desks.size
  }

  /** Agents whose folders are in use although no run is in progress. */
  get agentHashes(): ReadonlySet<string> {
    return new Set([...this.#desks.keys(), ...this.#closing.keys()])
  }

  /** The agent's desk, if it still fits. Otherwise it is closed first. */
  async take(
    agentHash: string,
    wanted: { readonly fingerprint: string; readonly snapshot: string },
  ): Promise<Desk | undefined> {
    await this.#closing.get(agentHash)
    const held = this.#desks.get(agentHash)
    if (!held) return undefined
    const { desk } = held
    const fits =
      desk.program.isAlive && desk.fingerprint === wanted.fingerprint && desk.snapshot === wanted.snapshot
    if (!fits) {
      await this.#close(agentHash)
      return undefined
    }
    clearTimeout(held.timer)
    this.#desks.delete(agentHash)
    return desk
  }

  async put(agentHash: string, desk: Desk): Promise<void> {
    if (this.#warmMs === 0 || !desk.program.isAlive) return desk.close()
    const timer = setTimeout(() => void this.#close(agentHash), this.#warmMs)
    timer.unref()
    this.#desks.set(agentHash, { desk, timer })
    const [oldest] = this.#desks.keys()
    if (this.#desks.size > this.#room && oldest !== undefined) await this.#close(oldest)
  }

  /** Closes the desk, unless a run has taken it. */
  async drop(agentHash: string, desk: Desk): Promise<void> {
    if (this.#desks.get(agentHash)?.desk === desk) await this.#close(agentHash)
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#desks.keys()].map((agentHash) => this.#close(agentHash)))
    await Promise.all(this.#closing.values())
  }

  async #close(agentHash: string): Promise<void> {
    const held = this.#desks.get(agentHash)
    if (!held) return
    clearTimeout(held.timer)
    this.#desks.delete(agentHash)
    // A sandbox that cannot be ended reports it itself. The next run must not wait for it forever.
    const closing = held.desk.close().catch(() => {})
    this.#closing.set(agentHash, closing)
    await closing
    this.#closing.delete(agentHash)
  }
}
