import {
  SkeinClientError,
  type AgentStatus,
  type ReadTimelineResponse,
  type TimelineEvent,
  type WatchState,
} from '@skein/client'
import { firstSequenceOf, lastSequenceOf, mergeEvents, rangeBefore, sequenceOf } from './timeline-events.ts'

/** What the store needs from an agent. The SDK's `Agent` provides it. */
export interface TimelineSource {
  status(options: { readonly signal: AbortSignal }): Promise<AgentStatus>
  readTimeline(options: {
    readonly after?: string
    readonly pageSize: number
    readonly signal: AbortSignal
  }): Promise<ReadTimelineResponse>
  watch(options: {
    readonly after: string
    readonly signal: AbortSignal
    readonly reconnectForMs: number
    readonly onState: (state: WatchState) => void
  }): AsyncIterable<TimelineEvent>
}

export interface TimelineSnapshot {
  readonly status: AgentStatus | undefined
  /** Contiguous and in order, up to the newest known event. */
  readonly events: readonly TimelineEvent[]
  /** Whether the newest events were read. Before that, an empty timeline means nothing. */
  readonly isRead: boolean
  readonly hasEarlier: boolean
  readonly isLoadingEarlier: boolean
  readonly connection: WatchState
  /** Why the agent cannot be shown, or no longer. */
  readonly error: unknown
}

const FIRST_PAGE = 300
const MAX_PAGE = 1000
/** Events of one burst are shown together, with one read of the status. */
const PUBLISH_MS = 40
const STATUS_MS = 250
const RESTART_MS = 3_000

const EMPTY: TimelineSnapshot = {
  status: undefined,
  events: [],
  isRead: false,
  hasEarlier: false,
  isLoadingEarlier: false,
  connection: 'connecting',
  error: undefined,
}

/** One agent's timeline, kept up to date from `start` until `stop`. */
export class TimelineStore {
  readonly #source: TimelineSource
  readonly #listeners = new Set<() => void>()
  #snapshot = EMPTY
  #arrived: TimelineEvent[] = []
  #abort = new AbortController()
  #publishTimer: ReturnType<typeof setTimeout> | undefined
  #statusTimer: ReturnType<typeof setTimeout> | undefined
  #restartTimer: ReturnType<typeof setTimeout> | undefined
  #isReadingStatus = false
  #earlier: Promise<void> | undefined
  /** How far back `#earlier` reads; infinity for a single page. */
  #readsDownTo = Infinity

  constructor(source: TimelineSource) {
    this.#source = source
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly getSnapshot = (): TimelineSnapshot => this.#snapshot

  readonly start = (): void => {
    this.stop()
    this.#abort = new AbortController()
    this.#publish({ error: undefined })
    void this.#follow(this.#abort.signal)
  }

  readonly stop = (): void => {
    this.#abort.abort()
    clearTimeout(this.#publishTimer)
    clearTimeout(this.#restartTimer)
    clearTimeout(this.#statusTimer)
    this.#publishTimer = undefined
    this.#statusTimer = undefined
    this.#isReadingStatus = false
    this.#takeArrived()
  }

  /** Loads the previous page, or all pages back to the one with this event. */
  async loadEarlier(downTo?: number): Promise<void> {
    // The load in progress may be a single page, and this call may need more.
    if (downTo !== undefined && downTo < this.#readsDownTo) await this.#earlier?.catch(() => undefined)
    if (this.#earlier === undefined) this.#readsDownTo = downTo ?? Infinity
    this.#earlier ??= this.#readEarlier(downTo, this.#abort.signal).finally(() => {
      // Before publishing: a listener may immediately ask for more.
      this.#earlier = undefined
      this.#publish({ isLoadingEarlier: false })
    })
    await this.#earlier
  }

  /** After a change by the user, so that the page needn't wait for its event. */
  readonly refreshStatus = (): void => {
    this.#scheduleStatus(0)
  }

  async #follow(signal: AbortSignal): Promise<void> {
    try {
      if (this.#snapshot.isRead) this.#scheduleStatus(0)
      else await Promise.all([this.#readStatus(signal), this.#readNewest(signal)])
      const watched = this.#source.watch({
        after: String(lastSequenceOf(this.#snapshot.events)),
        signal,
        // The reader may return after a night in which the machine slept.
        reconnectForMs: Infinity,
        onState: (state) => this.#noticeState(state, signal),
      })
      for await (const event of watched) {
        if (signal.aborted) return
        this.#arrived.push(event)
        this.#publishTimer ??= setTimeout(() => this.#takeArrived(), PUBLISH_MS)
        this.#scheduleStatus(STATUS_MS)
      }
    } catch (error) {
      if (!signal.aborted) this.#noticeFailure(error)
    }
  }

  /** What was shown stays visible while the service is unavailable. It is retried until it is back. */
  #noticeFailure(error: unknown): void {
    const isPassing = this.#snapshot.isRead && error instanceof SkeinClientError && error.isRetryable
    this.#publish({ connection: 'lost', error: isPassing ? undefined : error })
    if (isPassing) this.#restartTimer = setTimeout(() => this.start(), RESTART_MS)
  }

  #noticeState(state: WatchState, signal: AbortSignal): void {
    if (signal.aborted) return
    // While the connection is lost, showing each attempt would make the notice blink.
    if (state === 'connecting' && this.#snapshot.connection === 'lost') return
    if (state === 'open' && this.#snapshot.connection === 'lost') this.#scheduleStatus(0)
    this.#publish({ connection: state })
  }

  async #readNewest(signal: AbortSignal): Promise<void> {
    const { events: oldest, lastSequence } = await this.#source.readTimeline({ pageSize: FIRST_PAGE, signal })
    const last = Number(lastSequence)
    const after = last - FIRST_PAGE
    const { events } =
      lastSequenceOf(oldest) >= last
        ? { events: oldest }
        : await this.#source.readTimeline({ after: String(after), pageSize: FIRST_PAGE, signal })
    if (signal.aborted) return
    this.#publish({ events: mergeEvents(this.#snapshot.events, events), isRead: true })
  }

  async #readEarlier(downTo: number | undefined, signal: AbortSignal): Promise<void> {
    this.#publish({ isLoadingEarlier: true })
    const size = downTo === undefined ? FIRST_PAGE : MAX_PAGE
    for (;;) {
      const first = firstSequenceOf(this.#snapshot.events)
      const range = first === undefined ? undefined : rangeBefore(first, size)
      if (range === undefined || first === undefined || (downTo !== undefined && downTo >= first)) return
      const { events } = await this.#source.readTimeline({
        after: String(range.after),
        pageSize: range.count,
        signal,
      })
      if (signal.aborted || events.length === 0) return
      const before = events.filter((event) => sequenceOf(event) < first)
      this.#publish({ events: mergeEvents(this.#snapshot.events, before) })
      if (downTo === undefined) return
    }
  }

  #takeArrived(): void {
    clearTimeout(this.#publishTimer)
    this.#publishTimer = undefined
    if (this.#arrived.length === 0) return
    const events = mergeEvents(this.#snapshot.events, this.#arrived)
    this.#arrived = []
    this.#publish({ events })
  }

  #scheduleStatus(afterMs: number): void {
    const { signal } = this.#abort
    this.#statusTimer ??= setTimeout(() => {
      this.#statusTimer = undefined
      if (this.#isReadingStatus) this.#scheduleStatus(STATUS_MS)
      // The watch reports a lost connection. The status is read again with the next event or when it is back.
      else this.#readStatus(signal).catch(() => undefined)
    }, afterMs)
  }

  async #readStatus(signal: AbortSignal): Promise<void> {
    this.#isReadingStatus = true
    try {
      const status = await this.#source.status({ signal })
      if (!signal.aborted) this.#publish({ status })
    } finally {
      this.#isReadingStatus = false
    }
  }

  #publish(change: Partial<TimelineSnapshot>): void {
    const events = change.events ?? this.#snapshot.events
    const hasEarlier = (firstSequenceOf(events) ?? 1) > 1
    this.#snapshot = { ...this.#snapshot, ...change, hasEarlier }
    for (const notify of this.#listeners) notify()
  }
}
