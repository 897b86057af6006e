import { setTimeout as pause } from 'node:timers/promises'
import { waitForLock, type HeldLock } from './host-lock.ts'

/** Takes locks in the order requested, within this process. */
export class HostLocks {
  readonly #last = new Map<string, Promise<void>>()

  /** Undefined on timeout. */
  async acquire(path: string, timeoutMs: number): Promise<HeldLock | undefined> {
    const before = this.#last.get(path)
    const { promise: done, resolve: leave } = Promise.withResolvers<void>()
    const turn = Promise.all([before, done]).then(() => {
      if (this.#last.get(path) === turn) this.#last.delete(path)
    })
    this.#last.set(path, turn)
    const giveUpAt = performance.now() + timeoutMs
    try {
      if (before && !(await isDoneWithin(before, timeoutMs))) return abandon(leave)
      const held = await waitForLock(path, giveUpAt - performance.now())
      return held ? { release: () => (held.release(), leave()) } : abandon(leave)
    } catch (error) {
      leave()
      throw error
    }
  }
}

function abandon(leave: () => void): undefined {
  leave()
  return undefined
}

async function isDoneWithin(promise: Promise<void>, timeoutMs: number): Promise<boolean> {
  const patience = new AbortController()
  try {
    return await Promise.race([
      promise.then(() => true),
      pause(timeoutMs, false, { signal: patience.signal }).catch(() => false),
    ])
  } finally {
    patience.abort()
  }
}
