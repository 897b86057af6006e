import { SkeinApiError, SkeinClientError, type FleetFilter, type Skein } from '@skein/client'
import type { ConnectionState } from './connection.tsx'
import { FleetIndex } from './fleet-index.ts'
import type { FleetItem } from './fleet-item.ts'

/** The parts of the SDK used to read a fleet. */
export type FleetSource = Pick<Skein, 'listFleet' | 'watchFleet'>

export interface FleetSnapshot {
  readonly items: readonly FleetItem[]
  /** The first page is loaded. */
  readonly isLoaded: boolean
  /** All pages are loaded. */
  readonly isComplete: boolean
  /** There are more than can be shown: the filter must be narrowed. */
  readonly isCutOff: boolean
  readonly connection: ConnectionState
  /** Why nothing more comes until the user retries. */
  readonly error: unknown
}

export interface FleetStoreOptions {
  readonly maxAgents?: number
  readonly publishEveryMs?: number
}

export const MAX_AGENTS = 20_000
const PAGE_SIZE = 1_000
const PUBLISH_EVERY_MS = 100
const RESTART_MS = 3_000
/** Above this size, publishing takes milliseconds, and the eye cannot follow ten updates a second. */
const LARGE_FLEET = 2_000
const EMPTY: FleetSnapshot = {
  items: [],
  isLoaded: false,
  isComplete: false,
  isCutOff: false,
  connection: 'connecting',
  error: undefined,
}

/** The fleet of one filter, live while it has listeners. */
export class FleetStore {
  readonly #source: FleetSource
  readonly #filter: FleetFilter
  readonly #maxAgents: number
  readonly #publishEveryMs: number
  readonly #pageSize: number
  readonly #index = new FleetIndex()
  readonly #listeners = new Set<() => void>()
  #snapshot = EMPTY
  #isDirty = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #restartTimer: ReturnType<typeof setTimeout> | undefined
  #stop: AbortController | undefined
  /** All pages are loaded: after a stop, only the changes since then are needed. */
  #isListed = false
  /** Cursor of the newest change in the index. */
  #position = ''

  constructor(source: FleetSource, filter: FleetFilter, options: FleetStoreOptions = {}) {
    this.#source = source
    this.#filter = filter
    this.#maxAgents = options.maxAgents ?? MAX_AGENTS
    this.#publishEveryMs = options.publishEveryMs ?? PUBLISH_EVERY_MS
    this.#pageSize = Math.min(PAGE_SIZE, this.#maxAgents)
  }

  readonly snapshot = (): FleetSnapshot => this.#snapshot

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#stop === undefined) this.start()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.stop()
    }
  }

  /** After an error. */
  readonly retry = (): void => {
    this.#isListed = false
    this.start()
  }

  /** Continues where it was stopped. */
  readonly start = (): void => {
    this.stop()
    if (this.#listeners.size === 0) return
    const stop = new AbortController()
    this.#stop = stop
    // While the connection is lost, showing each attempt would make the notice blink.
    const connection = this.#snapshot.connection === 'lost' ? 'lost' : 'connecting'
    this.#show({ error: undefined, connection })
    void this.#follow(stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) this.#noticeFailure(error)
    })
  }

  readonly stop = (): void => {
    this.#stop?.abort()
    this.#stop = undefined
    clearTimeout(this.#restartTimer)
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** A fleet that was shown stays visible while the service is unavailable. It is retried until it is back. */
  #noticeFailure(error: unknown): void {
    const isPassing = this.#snapshot.isLoaded && error instanceof SkeinClientError && error.isRetryable
    this.#show({ connection: 'lost', error: isPassing ? undefined : error })
    if (isPassing) this.#restartTimer = setTimeout(this.start, RESTART_MS)
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const round = new AbortController()
      const end = (): void => round.abort()
      signal.addEventListener('abort', end)
      try {
        if (this.#isListed) await this.#watch(this.#position, round.signal)
        else await this.#listAndWatch(round.signal)
      } catch (error) {
        if (!isCursorTooOld(error)) throw error
        this.#isListed = false
      } finally {
        // A listing must not outlive the watch that corrects it, or vice versa.
        round.abort()
        signal.removeEventListener('abort', end)
      }
    }
  }

  async #listAndWatch(signal: AbortSignal): Promise<void> {
    this.#index.beginListing()
    const first = await this.#source.listFleet({ ...this.#filter, pageSize: this.#pageSize, signal })
    if (signal.aborted) return
    this.#index.addPage(first.entries)
    this.#markDirty()
    this.#show({ isLoaded: true })
    await Promise.all([this.#listRest(first.nextPageToken, signal), this.#watch(first.cursor, signal)])
  }

  async #listRest(firstToken: string, signal: AbortSignal): Promise<void> {
    let pageToken = firstToken
    while (pageToken !== '' && this.#index.size < this.#maxAgents) {
      const page = await this.#source.listFleet({
        ...this.#filter,
        pageSize: this.#pageSize,
        pageToken,
        signal,
      })
      if (signal.aborted) return
      this.#index.addPage(page.entries)
      this.#markDirty()
      pageToken = page.nextPageToken
    }
    this.#index.endListing()
    this.#isListed = true
    this.#markDirty()
    this.#show({ isComplete: true, isCutOff: pageToken !== '' })
  }

  async #watch(after: string, signal: AbortSignal): Promise<void> {
    const onState = (connection: ConnectionState): void => this.#noticeState(connection, signal)
    // The page shows that the connection is lost and keeps trying while it is open.
    const options = { after, signal, onState, reconnectForMs: Infinity }
    this.#position = after
    for await (const change of this.#source.watchFleet(this.#filter, options)) {
      if (signal.aborted) return
      this.#index.apply(change)
      this.#position = change.cursor
      this.#markDirty()
    }
  }

  #noticeState(connection: ConnectionState, signal: AbortSignal): void {
    // An attempt to reconnect is not news yet: the notice stays until the connection is open.
    const isTrying = connection === 'connecting' && this.#snapshot.connection === 'lost'
    if (!signal.aborted && !isTrying && connection !== this.#snapshot.connection) this.#show({ connection })
  }

  #markDirty(): void {
    this.#isDirty = true
    const everyMs = this.#index.size > LARGE_FLEET ? this.#publishEveryMs * 5 : this.#publishEveryMs
    this.#timer ??= setTimeout(() => this.#show({}), everyMs)
  }

  /** Publishes immediately, including pending changes. */
  #show(part: Partial<FleetSnapshot>): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const items = this.#isDirty ? this.#index.items() : this.#snapshot.items
    this.#isDirty = false
    this.#snapshot = { ...this.#snapshot, ...part, items }
    for (const notify of this.#listeners) notify()
  }
}

function isCursorTooOld(error: unknown): boolean {
  return error instanceof SkeinApiError && error.reason === 'PAGE_TOKEN_INVALID'
}
