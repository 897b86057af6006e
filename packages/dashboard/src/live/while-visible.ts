/** Something that is live, and goes on without a gap where it was stopped. */
export interface LiveStream {
  readonly start: () => void
  readonly stop: () => void
}

interface Surroundings {
  readonly page: EventTarget & { readonly hidden: boolean }
  readonly network: EventTarget
}

/** Whoever looks at another tab for a moment should find this one up to date. */
const GRACE_MS = 10_000

/**
 * Stops a stream that is running while nobody can see it: over HTTP/1.1 a browser has six connections for all tabs
 * of a service, and each stream holds one. Answers with how to end this; the stream is then left as it is.
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
  // What a browser thinks of the network says nothing about a service on the same machine, but an old connection
  // may be dead without anybody noticing: a new one tells.
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
