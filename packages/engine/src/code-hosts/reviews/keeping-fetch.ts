import type { HostFetch } from '../code-host.ts'

/** Another server holds the pull request by now: whatever is being done must not be continued. */
export class HoldLost extends Error {
  override readonly name = 'HoldLost'
}

const CHECK_EVERY_MS = 20_000

/**
 * Requests of a server that holds something. Before each that changes anything on the host, and now and then before the
 * others, it makes sure that this is still so, and extends it: reading a long conversation may take minutes.
 */
export function keepingFetch(fetch: HostFetch, keep: () => Promise<boolean>, now: () => number): HostFetch {
  let checkedAt = now()
  return async (input, init) => {
    const isReading = (init?.method ?? 'GET') === 'GET'
    if (!isReading || now() - checkedAt > CHECK_EVERY_MS) {
      if (!(await keep())) throw new HoldLost()
      checkedAt = now()
    }
    return fetch(input, init)
  }
}
