const IDLE = 0
const RUNNING = 1
const CONDEMNED = 2

/** The CPU time of the current job, shared by the thread that does the work and the one that watches it. */
export class JobClock {
  readonly shared: SharedArrayBuffer
  readonly #state: Int32Array<SharedArrayBuffer>
  readonly #startedAtMs: Float64Array<SharedArrayBuffer>

  constructor(shared = new SharedArrayBuffer(16)) {
    this.shared = shared
    this.#state = new Int32Array(shared, 0, 1)
    this.#startedAtMs = new Float64Array(shared, 8, 1)
  }

  start(): void {
    this.#startedAtMs[0] = cpuTimeMs()
    Atomics.store(this.#state, 0, RUNNING)
    Atomics.notify(this.#state, 0)
  }

  /** Does not return once the watch has decided to end the process: the job exceeded its limit. */
  stop(): void {
    if (Atomics.compareExchange(this.#state, 0, RUNNING, IDLE) === CONDEMNED)
      Atomics.wait(this.#state, 0, CONDEMNED)
    Atomics.notify(this.#state, 0)
  }

  waitForJob(): void {
    Atomics.wait(this.#state, 0, IDLE)
  }

  waitForEnd(timeoutMs: number): void {
    Atomics.wait(this.#state, 0, RUNNING, timeoutMs)
  }

  leftMs(cpuMs: number): number {
    return cpuMs - (cpuTimeMs() - (this.#startedAtMs[0] ?? 0))
  }

  /** Whether the job was still running. */
  condemn(): boolean {
    return Atomics.compareExchange(this.#state, 0, RUNNING, CONDEMNED) === RUNNING
  }
}

function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
