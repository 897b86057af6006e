const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const LOOK_EVERY_MS = 500
/** npm passes on a Ctrl-C that we already got from the terminal. Later than this, the user pressed it again. */
const ECHO_MS = 1_000

export interface StopRequests {
  /** Aborted by the first request. */
  readonly signal: AbortSignal
  ignore(): void
}

/** A second Ctrl-C exits immediately. Everything left ends by itself when it notices. */
export function listenForStop(
  env: Readonly<Record<string, string | undefined>>,
  note: (text: string) => void,
): StopRequests {
  const stopping = new AbortController()
  let firstAt = 0
  const stop = (why: string): void => {
    if (!stopping.signal.aborted) {
      firstAt = performance.now()
      note(`Stopping (${why})`)
      stopping.abort()
    } else if (why === 'SIGINT' && performance.now() - firstAt > ECHO_MS) process.exit(130)
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  const parent = process.ppid
  const lookForParent = (): void => {
    if (process.ppid !== parent) stop('npm has ended')
  }
  // With npx and npm run there is a shell in between, which exits on SIGTERM without passing it on.
  const watch = env['npm_command'] === undefined ? undefined : setInterval(lookForParent, LOOK_EVERY_MS)
  return {
    signal: stopping.signal,
    ignore: () => {
      clearInterval(watch)
      for (const signal of SIGNALS) process.off(signal, stop)
    },
  }
}
