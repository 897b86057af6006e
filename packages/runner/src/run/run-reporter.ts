import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { SkeinApiError, type Transport } from '@skein/client'
import { heartbeatRuns, type Budget, type HeartbeatRun } from '@skein/contract'
import { cleanTexts, cut } from '../clean-text.ts'

export type ReportedEvent = NonNullable<HeartbeatRun['events']>[number]

export interface ReportedUsage {
  readonly cost: number
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly outputTokens: number
  readonly model: string
}

const FLUSH_MS = 300
/** More is reported before the end of the run, which needs room in its request too. */
const MAX_LAST_CHARACTERS = 100_000
const RETRY_MS = 500
const MAX_EVENTS = 200
/** A report must fit into one request. */
const MAX_CHARACTERS = 1_000_000

type Report = Omit<HeartbeatRun, 'lease'>
export type LastReport = Pick<Report, 'events' | 'usage'>

/**
 * Reports a run's progress to the service, in order and exactly once: a report keeps its id until it is
 * acknowledged. It is retried until then, because the server may be restarting, or until the run is no longer ours.
 */
export class RunReporter {
  readonly #transport: Transport
  readonly #lease: string
  readonly #signal: AbortSignal
  readonly #onLost: () => void
  readonly #onRefused: (error: SkeinApiError) => void
  #events: ReportedEvent[] = []
  /** One for each model, since the last report. */
  #usages: ReportedUsage[] = []
  #session: string | undefined
  #sending: Promise<unknown> = Promise.resolve()
  #isScheduled = false

  constructor(
    transport: Transport,
    options: {
      lease: string
      signal: AbortSignal
      onLost: () => void
      onRefused: (error: SkeinApiError) => void
    },
  ) {
    this.#transport = transport
    this.#lease = options.lease
    this.#signal = options.signal
    this.#onLost = options.onLost
    this.#onRefused = options.onRefused
  }

  add(event: ReportedEvent): void {
    this.#events.push(cleanTexts(event))
    this.#schedule()
  }

  addUsage(usage: ReportedUsage): void {
    const others = this.#usages.filter(({ model }) => model !== usage.model)
    const before = this.#usages.find(({ model }) => model === usage.model)
    this.#usages = [...others, before ? sum(before, usage) : usage]
    this.#schedule()
  }

  saveSession(session: string): void {
    this.#session = session
    this.#schedule()
  }

  /** Resolves when everything added before has been acknowledged. */
  async flush(): Promise<void> {
    while (this.#hasNews) {
      await this.#send({})
      if (this.#signal.aborted) return
    }
    await this.#sending
  }

  /**
   * What is left of the budget shared with others, after everything spent so far. Reserves the estimate, which is
   * undefined for a call without a price.
   */
  async askBudget(estimate: number | undefined): Promise<Budget | undefined> {
    // A report has the usage of one model.
    while (this.#usages.length > 1 && !this.#signal.aborted) await this.#send({})
    return this.#send({ wantsBudget: true, ...(estimate !== undefined && { estimate }) })
  }

  /** Takes what was not sent yet. Undefined if it does not fit into the report of the run's end: then `flush` it. */
  async takeLast(): Promise<LastReport | undefined> {
    await this.#sending
    const characters = JSON.stringify(this.#events).length
    const fits = this.#usages.length <= 1 && this.#session === undefined && characters <= MAX_LAST_CHARACTERS
    if (!fits || this.#events.length > MAX_EVENTS) return undefined
    const { events, usage } = this.#take()
    return { ...(events && { events }), ...(usage && { usage }) }
  }

  /** Sends what `takeLast` took after all. */
  async send(last: LastReport): Promise<void> {
    this.#sending = this.#sending.then(() => this.#insist({ reportId: randomUUID(), ...last }))
    await this.#sending
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setTimeout(() => {
      this.#isScheduled = false
      void this.flush()
    }, FLUSH_MS)
  }

  /** One at a time, so that the timeline keeps the order of events. */
  #send(asked: Pick<Report, 'wantsBudget' | 'estimate'>): Promise<Budget | undefined> {
    const sending = this.#sending.then(() => {
      // `takeLast` may have taken it meanwhile. An empty report that arrives after the end would be told that the run is
      // lost.
      if (!this.#hasNews && asked.wantsBudget !== true) return undefined
      return this.#insist({ ...this.#take(), ...asked })
    })
    this.#sending = sending
    return sending
  }

  get #hasNews(): boolean {
    return this.#events.length > 0 || this.#usages.length > 0 || this.#session !== undefined
  }

  #take(): Report {
    const events = firstThatFit(this.#events)
    this.#events = this.#events.slice(events.length)
    const [usage, ...otherUsages] = this.#usages
    const session = this.#session
    this.#usages = otherUsages
    this.#session = undefined
    return {
      reportId: randomUUID(),
      ...(events.length > 0 && { events }),
      ...(usage && { usage: toWire(usage) }),
      ...(session !== undefined && { session }),
    }
  }

  async #insist(report: Report): Promise<Budget | undefined> {
    while (!this.#signal.aborted) {
      try {
        const { runs } = await this.#transport.call(heartbeatRuns, {
          body: { runs: [{ lease: this.#lease, ...report }] },
          signal: this.#signal,
        })
        if (runs[0]?.isCurrent !== true) this.#onLost()
        return runs[0]?.budget
      } catch (error) {
        if (isRefused(error)) {
          this.#onRefused(error)
          // The events are lost, but cost and session must not be lost with them.
          if (!report.events) return undefined
          const { events: _refused, ...rest } = report
          return this.#insist({ ...rest, reportId: randomUUID() })
        }
        await pause(RETRY_MS, undefined, { signal: this.#signal }).catch(() => {})
      }
    }
    return undefined
  }
}

/** Retrying won't help. It does if the tenant is resumed before the lease ends: until then, nobody else has the run. */
export function isRefused(error: unknown): error is SkeinApiError {
  if (!(error instanceof SkeinApiError) || error.reason === 'TENANT_SUSPENDED') return false
  return !error.isRetryable && error.status < 500
}

function firstThatFit(events: readonly ReportedEvent[]): ReportedEvent[] {
  let characters = 0
  const end = events.findIndex((event, index) => {
    characters += JSON.stringify(event).length
    return index > 0 && (index >= MAX_EVENTS || characters > MAX_CHARACTERS)
  })
  return end === -1 ? [...events] : events.slice(0, end)
}

function sum(left: ReportedUsage, right: ReportedUsage): ReportedUsage {
  return {
    cost: left.cost + right.cost,
    inputTokens: left.inputTokens + right.inputTokens,
    cachedInputTokens: left.cachedInputTokens + right.cachedInputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    model: left.model,
  }
}

/** The gateway checks models, but the service is stricter about their names. */
const MAX_MODEL = 255

function toWire({ cost, inputTokens, cachedInputTokens, outputTokens, model }: ReportedUsage) {
  return {
    cost,
    inputTokens: inputTokens.toString(),
    cachedInputTokens: cachedInputTokens.toString(),
    outputTokens: outputTokens.toString(),
    model: cleanTexts(cut(model, MAX_MODEL)),
  }
}
