import type { Desk } from './desk.ts'

/** Desks of agents between two turns. Each is given up when its time is over, or the oldest when there are too many. */
export class WarmDesks {
  readonly #warmMs: number
  readonly #room: number
  readonly #desks = new Map<string, { readonly desk: Desk; readonly timer: NodeJS.Timeout }>()

  constructor({ warmMs, room }: { warmMs: number; room: number }) {
    this.#warmMs = warmMs
    this.#room = room
  }

  get size(): number {
    return this.#desks.size
  }

  /** The agent's desk, if it still fits. One that does not is closed first: two of an agent must never be open. */
  async take(
    agentHash: string,
    wanted: { readonly fingerprint: string; readonly snapshot: string },
  ): Promise<Desk | undefined> {
    const desk = this.#remove(agentHash)
    if (!desk) return undefined
    const fits =
      desk.program.isAlive && desk.fingerprint === wanted.fingerprint && desk.snapshot === wanted.snapshot
    if (fits) return desk
    await desk.close()
    return undefined
  }

  async put(agentHash: string, desk: Desk): Promise<void> {
    if (this.#warmMs === 0 || !desk.program.isAlive) return desk.close()
    const timer = setTimeout(() => void this.#remove(agentHash)?.close(), this.#warmMs)
    timer.unref()
    this.#desks.set(agentHash, { desk, timer })
    const [oldest] = this.#desks.keys()
    if (this.#desks.size > this.#room && oldest !== undefined) await this.#remove(oldest)?.close()
  }

  async closeAll(): Promise<void> {
    const desks = [...this.#desks.keys()].flatMap((agentHash) => this.#remove(agentHash) ?? [])
    await Promise.all(desks.map((desk) => desk.close()))
  }

  #remove(agentHash: string): Desk | undefined {
    const held = this.#desks.get(agentHash)
    clearTimeout(held?.timer)
    this.#desks.delete(agentHash)
    return held?.desk
  }
}
