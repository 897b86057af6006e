import { SkeinApiError, type FleetChange, type FleetEntry, type WatchState } from '@skein/client'
import { afterEach, expect, test } from 'vitest'
import { FleetStore, type FleetSource } from '../../src/live/fleet-store.ts'
import { makeEntry } from './fleet-entries.ts'

/** A service that says what the test tells it to. */
class ScriptedSource implements FleetSource {
  pages: (readonly FleetEntry[])[] = []
  readonly asked: (string | undefined)[] = []
  readonly watchedAfter: (string | undefined)[] = []
  /** Holds back every page but the first until it is called. */
  releasePages: () => void = () => undefined
  holdsPages = false
  say: (change: FleetChange) => void = () => undefined
  cut: (error: Error) => void = () => undefined
  onState: (state: WatchState) => void = () => undefined

  readonly listFleet: FleetSource['listFleet'] = async (options) => {
    const pageToken = options?.pageToken
    this.asked.push(pageToken)
    const index = pageToken === undefined ? 0 : Number(pageToken)
    if (index > 0 && this.holdsPages) await new Promise<void>((resolve) => (this.releasePages = resolve))
    return {
      entries: this.pages[index] ?? [],
      nextPageToken: index + 1 < this.pages.length ? String(index + 1) : '',
      cursor: `cursor-${this.asked.length}`,
    }
  }

  readonly watchFleet: FleetSource['watchFleet'] = (_filter, options) => {
    this.watchedAfter.push(options?.after)
    this.onState = (state) => options?.onState?.(state)
    return this.#changes(options?.signal)
  }

  async *#changes(signal: AbortSignal = new AbortController().signal): AsyncGenerator<FleetChange, void> {
    const waiting: FleetChange[] = []
    let wake: (() => void) | undefined
    let error: Error | undefined
    this.say = (news) => {
      waiting.push(news)
      wake?.()
    }
    this.cut = (reason) => {
      error = reason
      wake?.()
    }
    signal.addEventListener('abort', () => wake?.())
    const isOver = (): boolean => signal.aborted
    while (!isOver()) {
      const next = waiting.shift()
      if (next !== undefined) yield next
      else if (error !== undefined) throw error
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  }
}

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

function open(source: ScriptedSource, maxAgents?: number) {
  const store = new FleetStore(
    source,
    {},
    { publishEveryMs: 1, ...(maxAgents !== undefined && { maxAgents }) },
  )
  let publishes = 0
  stops.push(store.subscribe(() => (publishes += 1)))
  return {
    store,
    names: () =>
      store
        .snapshot()
        .items.map(({ title }) => title)
        .sort(),
    publishes: () => publishes,
  }
}

function change(entry: FleetEntry, isListed = true): FleetChange {
  return { entry, isListed, cursor: 'c' }
}

test('the first page is shown before the rest has loaded, and the watch starts where it was read', async () => {
  const source = new ScriptedSource()
  source.pages = [[makeEntry('a')], [makeEntry('b')]]
  source.holdsPages = true
  const { store, names } = open(source)
  await expect.poll(names).toEqual(['shop/a'])
  expect(store.snapshot()).toMatchObject({ isLoaded: true, isComplete: false })
  source.releasePages()
  await expect.poll(() => store.snapshot().isComplete).toBe(true)
  expect(names()).toEqual(['shop/a', 'shop/b'])
  expect(source.watchedAfter).toEqual(['cursor-1'])
})

test('a page that comes late never overwrites a newer change nor brings back who has gone', async () => {
  const source = new ScriptedSource()
  source.pages = [[makeEntry('a')], [makeEntry('b', { cost: 1 }), makeEntry('gone')]]
  source.holdsPages = true
  const { store, names } = open(source)
  await expect.poll(() => source.asked).toHaveLength(2)
  source.say(change(makeEntry('b', { cost: 2 })))
  source.say(change(makeEntry('gone'), false))
  await expect.poll(names).toEqual(['shop/a', 'shop/b'])
  source.releasePages()
  await expect.poll(() => store.snapshot().isComplete).toBe(true)
  expect(names()).toEqual(['shop/a', 'shop/b'])
  expect(store.snapshot().items.find(({ title }) => title === 'shop/b')?.entry.cost).toBe(2)
})

test('with a cursor that is too old it lists again, and agents that left in the meantime are gone', async () => {
  const source = new ScriptedSource()
  source.pages = [[makeEntry('a'), makeEntry('b')]]
  const { names } = open(source)
  await expect.poll(names).toEqual(['shop/a', 'shop/b'])
  source.pages = [[makeEntry('b'), makeEntry('c')]]
  source.cut(
    new SkeinApiError('Too old.', {
      requestId: 'r1',
      status: 400,
      code: 'INVALID_ARGUMENT',
      reason: 'PAGE_TOKEN_INVALID',
      details: [],
      retryDelayMs: undefined,
      isRetryable: false,
    }),
  )
  await expect.poll(names).toEqual(['shop/b', 'shop/c'])
})

test('many changes are published together', async () => {
  const source = new ScriptedSource()
  source.pages = [[makeEntry('a')]]
  const { store, publishes, names } = open(source)
  await expect.poll(() => store.snapshot().isComplete).toBe(true)
  const before = publishes()
  for (let index = 0; index < 500; index += 1) source.say(change(makeEntry(`n${index}`)))
  await expect.poll(names).toHaveLength(501)
  expect(publishes() - before).toBeLessThan(50)
})

test('a fleet that is too large is cut off and says so', async () => {
  const source = new ScriptedSource()
  source.pages = [[makeEntry('a')], [makeEntry('b')], [makeEntry('c')]]
  const { store, names } = open(source, 2)
  await expect.poll(() => store.snapshot()).toMatchObject({ isComplete: true, isCutOff: true })
  expect(names()).toEqual(['shop/a', 'shop/b'])
})

test('a lost connection is shown until it is restored, and an error until someone retries', async () => {
  const source = new ScriptedSource()
  source.pages = [[makeEntry('a')]]
  const { store } = open(source)
  await expect.poll(() => source.watchedAfter).toHaveLength(1)
  source.onState('open')
  source.onState('lost')
  source.onState('connecting')
  expect(store.snapshot().connection).toBe('lost')
  source.onState('open')
  expect(store.snapshot().connection).toBe('open')
  source.cut(new Error('refused'))
  await expect.poll(() => store.snapshot().error).toEqual(new Error('refused'))
  store.retry()
  await expect.poll(() => source.watchedAfter).toHaveLength(2)
  expect(store.snapshot().error).toBeUndefined()
})

test('after a stop it continues from the newest change it knows, without listing again', async () => {
  const source = new ScriptedSource()
  source.pages = [[makeEntry('a')]]
  const { store, names } = open(source)
  await expect.poll(() => source.watchedAfter).toEqual(['cursor-1'])
  source.say(change(makeEntry('b')))
  await expect.poll(names).toEqual(['shop/a', 'shop/b'])
  store.stop()
  store.start()
  await expect.poll(() => source.watchedAfter).toEqual(['cursor-1', 'c'])
  source.say(change(makeEntry('c')))
  await expect.poll(names).toEqual(['shop/a', 'shop/b', 'shop/c'])
  expect(source.asked).toHaveLength(1)
})

test('a stop in the middle of a listing lists again', async () => {
  const source = new ScriptedSource()
  source.pages = [[makeEntry('a')], [makeEntry('b')]]
  source.holdsPages = true
  const { store, names } = open(source)
  await expect.poll(() => source.asked).toHaveLength(2)
  store.stop()
  source.releasePages()
  source.holdsPages = false
  store.start()
  await expect.poll(() => store.snapshot().isComplete).toBe(true)
  expect(source.asked).toEqual([undefined, '1', undefined, '1'])
  expect(names()).toEqual(['shop/a', 'shop/b'])
})

test('nobody who listens means no connection', async () => {
  const source = new ScriptedSource()
  source.pages = [[makeEntry('a')]]
  const signals: (AbortSignal | undefined)[] = []
  const { watchFleet } = source
  const spied: FleetSource = {
    listFleet: source.listFleet,
    watchFleet: (filter, options) => {
      signals.push(options?.signal)
      return watchFleet(filter, options)
    },
  }
  const store = new FleetStore(spied, {}, { publishEveryMs: 1 })
  const stop = store.subscribe(() => undefined)
  await expect.poll(() => signals).toHaveLength(1)
  stop()
  expect(signals[0]?.aborted).toBe(true)
})
