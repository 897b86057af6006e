interface Waiting<Item> {
  readonly item: Item
  readonly since: number
  readonly taken: PromiseWithResolvers<void>
}

/**
 * Gives out what a producer hands over, one at a time: the producer waits until the last one was taken. If nobody takes
 * it in time, or nobody reads any more, the producer is told by an error.
 */
export async function* handOver<Item>(
  produce: (put: (item: Item) => Promise<void>) => Promise<void>,
  patienceMs: number,
): AsyncGenerator<Item> {
  let waiting: Waiting<Item> | undefined
  let arrival = Promise.withResolvers<void>()
  let isOver = false
  const put = (item: Item): Promise<void> => {
    if (isOver) return Promise.reject(new Error('Nobody reads it any more'))
    const taken = Promise.withResolvers<void>()
    waiting = { item, since: performance.now(), taken }
    arrival.resolve()
    return taken.promise
  }
  const timer = setInterval(() => {
    if (waiting && performance.now() - waiting.since > patienceMs)
      waiting.taken.reject(new Error(`Nobody read it for ${patienceMs} ms`))
  }, patienceMs / 4)
  let failure: { readonly error: unknown } | undefined
  let isProduced = false
  const production = produce(put)
    .catch((error: unknown) => void (failure = { error }))
    .finally(() => {
      isProduced = true
      arrival.resolve()
    })
  try {
    for (;;) {
      await arrival.promise
      arrival = Promise.withResolvers()
      const next: Waiting<Item> | undefined = waiting
      waiting = undefined
      if (next) {
        next.taken.resolve()
        yield next.item
        if (isProduced) arrival.resolve()
      } else if (isProduced) break
    }
    if (failure) throw failure.error
  } finally {
    isOver = true
    clearInterval(timer)
    waiting?.taken.reject(new Error('Nobody reads it any more'))
    await production
  }
}
