/** A live stream that continues without a gap after a stop. */
export interface LiveStream {
  readonly start: () => void
  readonly stop: () => void
}

interface Surroundings {
  readonly page: EventTarget & { readonly hidden: boolean }
  readonly network: EventTarget
}

/** After a brief look at another tab, this one should be up to date. */
const GRACE_MS = 10_000

/**
 * Stops a stream while the page is hidden: with HTTP/1.1 a browser has six connections per service for all tabs, and
 * each stream uses one. Returns a function that ends this and leaves the stream as it is.
 */
export function keepWhileVisible(
  stream: LiveStream,
  { page, network }: Surroundings = { page: document, network: window },
): () => void {
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const follow = (): void => {
    clearTimeout(timer)
    if (page.hidden) {
      timer = setTimeout(() => {
        isStopped = true
        stream.stop()
      }, GRACE_MS)
    } else if (isStopped) {
      isStopped = false
      stream.start()
    }
  }
  // The browser's online state says nothing about a service on the same machine, but an old connection may be dead
  // without notice, so open a new one.
  const connectAnew = (): void => {
    if (isStopped) return
    stream.stop()
    stream.start()
  }
  page.addEventListener('visibilitychange', follow)
  network.addEventListener('online', connectAnew)
  network.addEventListener('offline', connectAnew)
  follow()
  return () => {
    clearTimeout(timer)
    page.removeEventListener('visibilitychange', follow)
    network.removeEventListener('online', connectAnew)
    network.removeEventListener('offline', connectAnew)
  }
}
