import { setTimeout as pause } from 'node:timers/promises'
import type { Assignment, CompleteRunRequest, RunHeartbeat } from '@skein/contract'

type Outcome = CompleteRunRequest['outcome']

/** What a run does, step by step. The script is in the message that starts the run, as JSON after `script:`. */
export type Step =
  | { readonly do: 'say'; readonly text: string }
  | { readonly do: 'work'; readonly ms: number }
  | { readonly do: 'spend'; readonly cost: number; readonly tokens: number }
  | { readonly do: 'push'; readonly files: readonly string[] }
  | { readonly do: 'ask'; readonly question: string }
  | { readonly do: 'rest' }
  /** Rests until these children have ended. */
  | { readonly do: 'await'; readonly children: readonly string[] }
  /** Releases the run for another attempt to continue. First attempt only. */
  | { readonly do: 'pause'; readonly ms: number }
  | { readonly do: 'finish'; readonly output?: string }
  | { readonly do: 'fail'; readonly isRetryable: boolean }
  /** Does nothing until stopped. */
  | { readonly do: 'hang' }
  /** Forgets the run: no heartbeat, no report, as if the runner had died. */
  | { readonly do: 'crash' }
  /**
   * Silent for this long, like a runner behind a broken network: no heartbeats, but afterwards the script continues
   * and reports its end, perhaps too late. First attempt only.
   */
  | { readonly do: 'stall'; readonly ms: number }

export function scriptOf(...steps: readonly Step[]): string {
  return `script:${JSON.stringify(steps)}`
}

export interface ScriptedRunnerOptions {
  readonly baseUrl: string
  readonly apiKey: string
  readonly capacity?: number
  readonly heartbeatMs?: number
  readonly pollMs?: number
  /** For runs without a script. */
  readonly defaultScript?: readonly Step[]
  /** Receives every event, for logs that tests compare with the timeline. */
  readonly onEvent?: (event: ScriptedRunnerEvent) => void
}

export type ScriptedRunnerEvent = { readonly lease: string } & (
  | { readonly type: 'started'; readonly messages: Assignment['messages'] }
  /** `isCurrent` is the service's answer: whether the run still belonged to this runner after the report. */
  | { readonly type: 'reported'; readonly step: Step; readonly isCurrent: boolean }
  | { readonly type: 'ended'; readonly reason: Outcome['reason']; readonly accepted: boolean }
  | { readonly type: 'lost' }
)

interface ActiveRun {
  readonly assignment: Assignment
  readonly stop: AbortController
  isForgotten: boolean
}

/** A runner that executes scripts instead of models, over the real protocol. */
export class ScriptedRunner {
  readonly #options: ScriptedRunnerOptions
  readonly #active = new Map<string, ActiveRun>()
  readonly #stopping = new AbortController()
  readonly #loops: Promise<void>[] = []
  #reports = 0

  constructor(options: ScriptedRunnerOptions) {
    this.#options = options
  }

  start(): this {
    this.#loops.push(this.#pollLoop(), this.#heartbeatLoop())
    return this
  }

  /** Stops taking runs and drops those it has. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const run of this.#active.values()) run.stop.abort('forget')
    await Promise.all(this.#loops)
  }

  get activeRuns(): number {
    return this.#active.size
  }

  async #pollLoop(): Promise<void> {
    const { capacity = 8, pollMs = 5_000 } = this.#options
    while (!this.#stopping.signal.aborted) {
      const room = capacity - this.#active.size
      if (room <= 0) {
        await this.#rest(20)
        continue
      }
      const answer = await this.#call<{ runs: Assignment[] }>('poll', { capacity: room, waitMs: pollMs })
      for (const assignment of answer?.runs ?? []) this.#loops.push(this.#execute(assignment))
      if (!answer) await this.#rest(100)
    }
  }

  /** One request is always open, so that a stop arrives immediately. */
  async #heartbeatLoop(): Promise<void> {
    const { heartbeatMs = 1_000 } = this.#options
    while (!this.#stopping.signal.aborted) {
      const runs = [...this.#active.values()].filter(({ isForgotten }) => !isForgotten)
      if (runs.length === 0) {
        await this.#rest(20)
        continue
      }
      const answer = await this.#call<{ runs: RunHeartbeat[] }>('heartbeat', {
        runs: runs.map(({ assignment }) => ({ lease: assignment.lease })),
        waitMs: heartbeatMs,
      })
      for (const { lease, isCurrent, commands } of answer?.runs ?? []) {
        const run = this.#active.get(lease)
        if (!isCurrent) run?.stop.abort('lost')
        else if (commands.some(({ type }) => type === 'KILL')) run?.stop.abort('killed')
        else if (commands.some(({ type }) => type === 'INTERRUPT')) run?.stop.abort('interrupted')
      }
      await this.#rest(answer ? 5 : 100)
    }
  }

  async #execute(assignment: Assignment): Promise<void> {
    const { lease, messages } = assignment
    const run: ActiveRun = { assignment, stop: new AbortController(), isForgotten: false }
    this.#active.set(lease, run)
    this.#options.onEvent?.({ type: 'started', lease, messages })
    const outcome = await this.#play(run)
    if (outcome) {
      const answer = await this.#insist<{ accepted: boolean }>('complete', { lease, outcome })
      const accepted = answer?.accepted ?? false
      this.#options.onEvent?.({ type: 'ended', lease, reason: outcome.reason, accepted })
    } else {
      this.#options.onEvent?.({ type: 'lost', lease })
    }
    this.#active.delete(lease)
  }

  /** How the run ended; undefined if it no longer belongs to this runner. */
  async #play(run: ActiveRun): Promise<Outcome | undefined> {
    for (const step of this.#scriptFor(run.assignment)) {
      const { signal } = run.stop
      if (signal.aborted) break
      switch (step.do) {
        case 'say':
          await this.#report(run, step, { events: [{ type: 'run.message', text: step.text }] })
          break
        case 'work':
          await pause(step.ms, undefined, { signal }).catch(() => {})
          break
        case 'spend':
          await this.#report(run, step, {
            usage: {
              cost: step.cost,
              inputTokens: step.tokens,
              cachedInputTokens: 0,
              outputTokens: step.tokens,
            },
          })
          break
        case 'push':
          await this.#report(run, step, {
            events: [{ type: 'run.pushed', repo: 'r', ref: 'refs/heads/x', commit: 'c', files: step.files }],
          })
          break
        case 'ask':
          return { reason: 'asked', needsInput: step.question, message: step.question }
        case 'rest':
          return { reason: 'rested', message: 'resting' }
        case 'await':
          return { reason: 'rested', message: 'waiting for children', awaits: [...step.children] }
        case 'pause':
          if (run.assignment.attempt > 1) break
          return { reason: 'paused', message: 'pausing', retryAfterMs: step.ms }
        case 'finish':
          return { reason: 'finished', message: 'done', output: step.output ?? '' }
        case 'fail':
          return {
            reason: 'failed',
            error: { code: 'scripted', message: 'as the script says', isRetryable: step.isRetryable },
          }
        case 'hang':
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
          break
        case 'crash':
          run.isForgotten = true
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
          return undefined
        case 'stall':
          if (run.assignment.attempt > 1) break
          run.isForgotten = true
          await this.#rest(step.ms)
          break
      }
    }
    const { signal } = run.stop
    if (!signal.aborted) return { reason: 'rested' }
    if (signal.reason === 'interrupted') return { reason: 'interrupted' }
    if (signal.reason === 'killed') return { reason: 'killed' }
    return undefined
  }

  /** The newest message with a script decides. A retry plays the same one again. */
  #scriptFor({ messages }: Assignment): readonly Step[] {
    const text = messages.findLast(({ description }) => description.startsWith('script:'))?.description
    if (text === undefined) return this.#options.defaultScript ?? [{ do: 'rest' }]
    return JSON.parse(text.slice('script:'.length)) as Step[]
  }

  async #report({ assignment: { lease } }: ActiveRun, step: Step, report: object): Promise<void> {
    const reportId = `r${(this.#reports += 1)}`
    const answer = await this.#insist<{ runs: RunHeartbeat[] }>('heartbeat', {
      runs: [{ lease, reportId, ...report }],
    })
    const isCurrent = answer?.runs[0]?.isCurrent ?? false
    this.#options.onEvent?.({ type: 'reported', lease, step, isCurrent })
  }

  /** Repeats the request until it is answered: the server may be restarting. */
  async #insist<Answer>(path: string, body: object): Promise<Answer | undefined> {
    while (!this.#stopping.signal.aborted) {
      const answer = await this.#call<Answer>(path, body)
      if (answer) return answer
      await this.#rest(100)
    }
    return undefined
  }

  async #call<Answer>(path: string, body: object): Promise<Answer | undefined> {
    try {
      const response = await fetch(`${this.#options.baseUrl}/v1/runner/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.#options.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: this.#stopping.signal,
      })
      const text = await response.text()
      return response.ok ? (JSON.parse(text) as Answer) : undefined
    } catch {
      return undefined
    }
  }

  async #rest(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#stopping.signal }).catch(() => {})
  }
}
