import { setTimeout as pause } from 'node:timers/promises'
import { scriptOf, type Random } from '@skein/testkit'
import type { Api } from './api.ts'
import { agentId } from './paths.ts'

const SPAWNERS = 4
const TERMINAL = /COMPLETED|FAILED|CANCELED/

/** Totals for the trees of a round. */
export interface Felled {
  trees: number
  agents: number
  slowestKillMs: number
  /** Agents whose spawn was acknowledged but that don't exist. */
  readonly missing: string[]
  /** Agents that survived the kill of their root. */
  readonly alive: string[]
}

/** Grows one tree after the other, and kills each while agents are still being added. */
export class BigTree {
  readonly #api: Api
  readonly #random: Random
  readonly #prefix: string
  readonly #size: number
  readonly felled: Felled = { trees: 0, agents: 0, slowestKillMs: 0, missing: [], alive: [] }

  constructor(api: Api, random: Random, { prefix, size }: { prefix: string; size: number }) {
    this.#api = api
    this.#random = random
    this.#prefix = prefix
    this.#size = size
  }

  async work(signal: AbortSignal): Promise<void> {
    if (this.#size === 0) return
    for (let number = 1; !signal.aborted; number++) {
      await this.#growAndKill(`${this.#prefix}tree-${number}`, signal)
    }
  }

  async #growAndKill(root: string, signal: AbortSignal): Promise<void> {
    const spawned = new Set<string>()
    if (await this.#spawn(root)) spawned.add(root)
    let number = 0
    const killed = new AbortController()
    const spawnOn = async (): Promise<void> => {
      while (!killed.signal.aborted) {
        const path = nthPath(root, number++)
        if (await this.#spawn(path)) spawned.add(path)
        await pause(this.#random.below(60))
      }
    }
    const spawners = Array.from({ length: SPAWNERS }, spawnOn)
    while (spawned.size < this.#size && !signal.aborted) await pause(20)
    const sentAt = performance.now()
    await this.#api.insist('/v1/agent/kill', { agentId: agentId(root) }, `kill-${root}`)
    this.felled.slowestKillMs = Math.max(this.felled.slowestKillMs, Math.round(performance.now() - sentAt))
    killed.abort()
    await Promise.all(spawners)
    await this.#look(root, spawned)
  }

  async #spawn(path: string): Promise<boolean> {
    const description = scriptOf({ do: 'work', ms: 20 + this.#random.below(200) }, { do: 'rest' })
    const body = { agentId: agentId(path), description }
    const { status } = await this.#api.insist('/v1/agent/spawn', body, `spawn-${path}`)
    return status === 200
  }

  /** Nothing else touches this tree, so any agent in it now was there when the kill was answered. */
  async #look(root: string, spawned: ReadonlySet<string>): Promise<void> {
    const phases = new Map<string, string>()
    for (let pageToken = ''; ;) {
      const { body } = await this.#api.insist('/v1/fleet', {
        under: agentId(root),
        includeTerminal: true,
        pageToken,
      })
      for (const { agentId: id, phase } of body['entries'] as Entry[]) phases.set(id.agent.join('/'), phase)
      pageToken = String(body['nextPageToken'])
      if (pageToken === '') break
    }
    this.felled.trees += 1
    this.felled.agents += phases.size
    this.felled.missing.push(...[...spawned].filter((path) => !phases.has(path)))
    this.felled.alive.push(...[...phases].flatMap(([path, phase]) => (TERMINAL.test(phase) ? [] : [path])))
  }
}

interface Entry {
  readonly agentId: { readonly agent: readonly string[] }
  readonly phase: string
}

/** Every tenth is a grandchild of the root. */
function nthPath(root: string, number: number): string {
  return number % 10 === 9 ? `${root}/c${number - 5}/grandchild` : `${root}/c${number}`
}
