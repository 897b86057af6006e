import { setTimeout as pause } from 'node:timers/promises'
import { Skein, type Phase, type WatchState } from '@skein/client'

/** By default a service that was never reached is given up after a few attempts. Here it may be down at the start. */
const PATIENT_RETRIES = 100

/** Watchers: the SDK reconnects them after each cut, and they must not miss anything. */
export class Watchers {
  readonly #skein: Skein
  readonly #url: string
  readonly #key: string
  readonly #stop = new AbortController()
  readonly #work: Promise<void>[] = []
  /** Each agent's phase, as last reported by the fleet's feed. */
  readonly phases = new Map<string, Phase>()
  /** The event sequences reported by each watched agent's stream, in order. */
  readonly sequences = new Map<string, string[]>()
  /** Agents that are currently being waited for. */
  readonly waiting = new Set<string>()
  /** Why a watch gave up. */
  readonly failures: string[] = []

  constructor(url: string, key: string) {
    this.#url = url
    this.#key = key
    this.#skein = new Skein({ baseUrl: url, apiKey: key, retries: PATIENT_RETRIES })
  }

  /** Await it before the first agent is spawned: the feed tells nothing from before it was opened. */
  async start(watched: readonly string[]): Promise<void> {
    const { promise: opened, resolve: onOpen } = Promise.withResolvers<void>()
    this.#work.push(this.#watchFleet(onOpen).finally(onOpen))
    for (const path of watched) this.#work.push(this.#watchAgent(path), this.#waitForAgent(path))
    await opened
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#work)
  }

  async #watchFleet(onOpen: () => void): Promise<void> {
    const onState = (state: WatchState) => {
      if (state === 'open') onOpen()
    }
    await this.#guard('the fleet', async (signal) => {
      const changes = this.#skein.watchFleet({ account: '*', includeTerminal: true }, { signal, onState })
      for await (const { entry } of changes) this.phases.set(entry.agentId.agent.join('/'), entry.phase)
    })
  }

  async #watchAgent(path: string): Promise<void> {
    const told: string[] = []
    this.sequences.set(path, told)
    await this.#untilSpawned(path)
    await this.#guard(path, async (signal) => {
      const agent = this.#skein.agent(`default/${path}`)
      for await (const { sequence } of agent.watch({ signal })) told.push(sequence)
    })
  }

  async #guard(what: string, watch: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#stop
    try {
      await watch(signal)
    } catch (error) {
      if (!signal.aborted) this.failures.push(`${what}: ${String(error)}`)
    }
  }

  async #untilSpawned(path: string): Promise<void> {
    while (!this.#stop.signal.aborted && !this.phases.has(path)) await pause(50)
  }

  /** One request without a limit, which only a wake-up ends. Repeated if it is cut. */
  async #waitForAgent(path: string): Promise<void> {
    const { signal } = this.#stop
    await this.#untilSpawned(path)
    while (!signal.aborted) {
      this.waiting.add(path)
      const isAnswered = await this.#wait(path, signal)
      if (isAnswered) this.waiting.delete(path)
      await pause(isAnswered ? 300 : 100, undefined, { signal }).catch(() => {})
    }
  }

  async #wait(path: string, signal: AbortSignal): Promise<boolean> {
    try {
      const response = await fetch(`${this.#url}/v1/agent/wait`, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ agentId: { agent: path.split('/'), workspace: 'default' } }),
        signal,
      })
      await response.arrayBuffer()
      return response.ok
    } catch {
      return false
    }
  }
}
