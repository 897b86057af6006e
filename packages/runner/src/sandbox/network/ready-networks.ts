import { openClosedNetwork } from './closed-network.ts'
import type { SandboxNetwork } from './sandbox-network.ts'

/** A new one must not compete with the program that is just being started in the last. */
const REFILL_MS = 2_000

/** Closed networks made ahead, because making one takes as long as a tenth of a cold start. Each is used once. */
export class ReadyNetworks {
  readonly #port: number
  readonly #count: number
  #ready: SandboxNetwork[] = []
  #making: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ port, count }: { readonly port: number; readonly count: number }) {
    this.#port = port
    this.#count = count
  }

  /** Makes what is missing. */
  fill(): void {
    this.#making = this.#making.then(() => this.#fill()).catch(() => undefined)
  }

  /** One that nobody has used, made now if none is ready. */
  async take(port: number): Promise<SandboxNetwork> {
    const found = port === this.#port ? this.#ready.shift() : undefined
    this.#fillLater()
    if (found?.isRunning) return found
    await found?.close()
    return openClosedNetwork(port)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#making
    await Promise.all(this.#ready.splice(0).map((network) => network.close()))
  }

  #fillLater(): void {
    if (this.#timer || this.#isClosed || this.#count === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.fill()
    }, REFILL_MS)
    this.#timer.unref()
  }

  async #fill(): Promise<void> {
    while (!this.#isClosed && this.#ready.length < this.#count)
      this.#ready.push(await openClosedNetwork(this.#port))
  }
}
