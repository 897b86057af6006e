import { setTimeout as pause } from 'node:timers/promises'
import type { Api } from '../crash/workload/api.ts'

const BEAT_MS = 1_000
const POLL_MS = 300

interface Run {
  readonly lease: string
  readonly agentId: { readonly workspace: string; readonly agent: readonly string[] }
  readonly messages: readonly { readonly followUpId: string; readonly description: string }[]
}

export interface OpenedPull {
  readonly name: string
  readonly number: number
}

/**
 * Agents that open a pull request in their first run, and answer every thread in the others. Agents in other workspaces
 * do nothing.
 */
export class ReviewRunner {
  readonly #api: Api
  readonly #repoUrl: string
  readonly #workspace: string
  readonly #ended = new AbortController()
  readonly #working = new Set<Promise<void>>()
  readonly opened = new Map<string, OpenedPull>()
  /** Everything that any agent was sent. */
  readonly prompts: string[] = []
  #polling: Promise<void> | undefined

  constructor(api: Api, { repoUrl, workspace }: { readonly repoUrl: string; readonly workspace: string }) {
    this.#api = api
    this.#repoUrl = repoUrl
    this.#workspace = workspace
  }

  start(): void {
    this.#polling = this.#poll()
  }

  async stop(): Promise<void> {
    this.#ended.abort()
    await this.#polling
    await Promise.all(this.#working)
  }

  async #poll(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      const { body } = await this.#api.insist('/v1/runner/poll', { capacity: 32 })
      for (const run of (body['runs'] ?? []) as Run[]) {
        const work: Promise<void> = this.#work(run).finally(() => this.#working.delete(work))
        this.#working.add(work)
      }
      await pause(POLL_MS)
    }
  }

  async #work(run: Run): Promise<void> {
    const { lease } = run
    this.prompts.push(JSON.stringify(run))
    const over = new AbortController()
    const beating = this.#beat(lease, over.signal)
    const isHeld = run.agentId.workspace !== this.#workspace || (await this.#review(run))
    over.abort()
    await beating
    if (isHeld) await this.#api.insist('/v1/runner/complete', { lease, outcome: { reason: 'rested' } })
  }

  #review(run: Run): Promise<boolean> {
    return this.opened.has(run.agentId.agent[0] ?? '') ? this.#answer(run) : this.#open(run)
  }

  async #beat(lease: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(BEAT_MS, undefined, { signal }).catch(() => undefined)
      if (!signal.aborted) await this.#api.insist('/v1/runner/heartbeat', { runs: [{ lease }] })
    }
  }

  /** Whether this runner still has the run. */
  async #open({ lease, agentId }: Run): Promise<boolean> {
    const agent = agentId.agent[0] ?? ''
    const head = `skein/${agent}`
    const request = { lease, url: this.#repoUrl, title: `Change of ${agent}`, head, base: 'main' }
    const { status, body } = await this.#api.insist('/v1/runner/pull-request', request)
    if (status !== 200) throw new Error(`${agent} opened none: ${JSON.stringify(body)}`)
    this.opened.set(agent, { name: String(body['name']), number: Number(body['number']) })
    return true
  }

  async #answer({ lease, messages }: Run): Promise<boolean> {
    for (const { description } of messages) {
      for (const [, thread = ''] of description.matchAll(/^Thread (\S+?)(?::$| \()/gm)) {
        const answer = { lease, thread, text: `Answer to ${thread}.` }
        const { status } = await this.#api.insist('/v1/runner/pull-request/answer', answer)
        if (status !== 200) return false
      }
    }
    return true
  }
}
