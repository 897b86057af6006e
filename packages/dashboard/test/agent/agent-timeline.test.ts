import type { AgentStatus, TimelineEvent, WatchState } from '@skein/client'
import { describe, expect, it } from 'vitest'
import { mergeEvents, rangeBefore, sequenceOf } from '../../src/live/timeline-events.ts'
import { TimelineStore, type TimelineSource } from '../../src/live/timeline-store.ts'
import { eventAt } from './agent-events.ts'

const numbers = (events: readonly TimelineEvent[]) => events.map(sequenceOf)
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) =>
    eventAt(from + index, { type: 'run.saved', runId: '1' }),
  )

describe('merging', () => {
  it('keeps events in order and each once, whatever comes when', () => {
    const merged = mergeEvents(range(4, 6), [...range(5, 8), ...range(1, 3)])
    expect(numbers(merged)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('answers the same list when nothing is new', () => {
    const known = range(1, 3)
    expect(mergeEvents(known, range(2, 3))).toBe(known)
    expect(mergeEvents(known, [])).toBe(known)
  })

  it('knows the previous page, and that there is none before the first event', () => {
    expect(rangeBefore(501, 300)).toEqual({ after: 200, count: 300 })
    expect(rangeBefore(101, 300)).toEqual({ after: 0, count: 100 })
    expect(rangeBefore(1, 300)).toBeUndefined()
  })
})

/** An agent with this many events, to which more can be added. */
class ScriptedAgent implements TimelineSource {
  readonly #events: TimelineEvent[]
  readonly watches: string[] = []
  statusReads = 0
  tell: (state: WatchState) => void = () => undefined
  #wake = Promise.withResolvers<void>()

  constructor(count: number) {
    this.#events = range(1, count)
  }

  add(count: number): void {
    this.#events.push(...range(this.#events.length + 1, this.#events.length + count))
    this.#wake.resolve()
    this.#wake = Promise.withResolvers()
  }

  status(): Promise<AgentStatus> {
    this.statusReads += 1
    return Promise.resolve({ phase: 'PHASE_RUNNING' } as AgentStatus)
  }

  readTimeline({ after = '0', pageSize }: { after?: string; pageSize: number }) {
    const events = this.#events.slice(Number(after), Number(after) + pageSize)
    return Promise.resolve({ events, lastSequence: String(this.#events.length) })
  }

  async *watch({ after, signal, onState }: Parameters<TimelineSource['watch']>[0]) {
    this.watches.push(after)
    this.tell = onState
    onState('open')
    let next = Number(after)
    while (!signal.aborted) {
      const event = this.#events[next]
      if (event === undefined) await this.#wake.promise
      else yield event
      if (event !== undefined) next += 1
    }
  }
}

async function waitFor(store: TimelineStore, isThere: () => boolean): Promise<void> {
  if (isThere()) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const unsubscribe = store.subscribe(() => isThere() && resolve())
  await promise
  unsubscribe()
}

const isOpen = (store: TimelineStore) => () => store.getSnapshot().connection === 'open'

describe('the timeline of an agent', () => {
  it('shows the newest events first and watches from there', async () => {
    const agent = new ScriptedAgent(1000)
    const store = new TimelineStore(agent)
    store.start()
    await waitFor(store, isOpen(store))
    const { events, hasEarlier } = store.getSnapshot()
    expect(numbers(events)).toEqual(numbers(range(701, 1000)))
    expect(hasEarlier).toBe(true)
    expect(agent.watches).toEqual(['1000'])
    store.stop()
  })

  it('reads earlier events page by page, or back to a certain one', async () => {
    const store = new TimelineStore(new ScriptedAgent(5000))
    store.start()
    await waitFor(store, isOpen(store))
    await store.loadEarlier()
    expect(store.getSnapshot().events.length).toBe(600)
    await store.loadEarlier(42)
    const { events } = store.getSnapshot()
    expect(numbers(events).at(0)).toBeLessThanOrEqual(42)
    expect(numbers(events)).toEqual(numbers(range(5001 - events.length, 5000)))
    store.stop()
  })

  it('can be asked for more as soon as it says that earlier events are not being read', async () => {
    const store = new TimelineStore(new ScriptedAgent(1000))
    store.start()
    await waitFor(store, isOpen(store))
    let asked = 0
    const unsubscribe = store.subscribe(() => {
      const { hasEarlier, isLoadingEarlier } = store.getSnapshot()
      if (!hasEarlier || isLoadingEarlier || asked === 3) return
      asked += 1
      void store.loadEarlier()
    })
    void store.loadEarlier()
    await waitFor(store, () => !store.getSnapshot().hasEarlier)
    expect(numbers(store.getSnapshot().events)).toEqual(numbers(range(1, 1000)))
    unsubscribe()
    store.stop()
  })

  it('reads back to the event that is asked for while a single page is on its way', async () => {
    const store = new TimelineStore(new ScriptedAgent(2000))
    store.start()
    await waitFor(store, isOpen(store))
    await Promise.all([store.loadEarlier(), store.loadEarlier(1)])
    expect(store.getSnapshot().hasEarlier).toBe(false)
    store.stop()
  })

  it('misses nothing and shows nothing twice when it is stopped and started again', async () => {
    const agent = new ScriptedAgent(10)
    const store = new TimelineStore(agent)
    store.start()
    await waitFor(store, isOpen(store))
    agent.add(5)
    await waitFor(store, () => store.getSnapshot().events.length === 15)
    store.stop()
    agent.add(5)
    store.start()
    await waitFor(store, () => store.getSnapshot().events.length === 20)
    expect(numbers(store.getSnapshot().events)).toEqual(numbers(range(1, 20)))
    expect(agent.watches).toEqual(['10', '15'])
    store.stop()
  })

  it('reads the status once for a burst of events', async () => {
    const agent = new ScriptedAgent(1)
    const store = new TimelineStore(agent)
    store.start()
    await waitFor(store, isOpen(store))
    agent.add(200)
    await waitFor(store, () => agent.statusReads === 2)
    expect(store.getSnapshot().events.length).toBe(201)
    store.stop()
  })

  it('says that the connection is lost until it is back, and then has everything', async () => {
    const agent = new ScriptedAgent(3)
    const store = new TimelineStore(agent)
    store.start()
    await waitFor(store, isOpen(store))
    agent.tell('lost')
    agent.tell('connecting')
    expect(store.getSnapshot().connection).toBe('lost')
    agent.add(4)
    agent.tell('open')
    await waitFor(store, () => store.getSnapshot().events.length === 7)
    expect(store.getSnapshot().connection).toBe('open')
    expect(numbers(store.getSnapshot().events)).toEqual(numbers(range(1, 7)))
    store.stop()
  })

  it('says why when the service refuses', async () => {
    const agent = new ScriptedAgent(1)
    const refusal = new Error('no such agent')
    const store = new TimelineStore(Object.assign(agent, { status: () => Promise.reject(refusal) }))
    store.start()
    await waitFor(store, () => store.getSnapshot().error !== undefined)
    expect(store.getSnapshot().error).toBe(refusal)
    store.stop()
  })
})
