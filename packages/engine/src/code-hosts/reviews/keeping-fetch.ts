import { CodeHostError, type HostFetch } from '../code-host.ts'

/** Another server holds the pull request by now: whatever is being done must not be continued. */
export class HoldLost extends Error {
  override readonly name = 'HoldLost'
}

const CHECK_EVERY_MS = 20_000
/** Of all answers together: each may be large, and there may be a hundred. */
const MAX_BYTES = 24 * 1024 * 1024
/** Of all requests together: each may take ten seconds. */
const MAX_MS = 5 * 60_000

/**
 * Requests of a server that holds something. Before each that changes anything on the host, and now and then before the
 * others, it makes sure that this is still so, and extends it: reading a long conversation may take minutes. A host that
 * makes it take longer, or answers with too much, is asked again another time.
 */
export function keepingFetch(fetch: HostFetch, keep: () => Promise<boolean>, now: () => number): HostFetch {
  const startedAt = now()
  let checkedAt = startedAt
  let bytes = 0
  return async (input, init) => {
    const isReading = (init?.method ?? 'GET') === 'GET'
    if (!isReading || now() - checkedAt > CHECK_EVERY_MS) {
      if (!(await keep())) throw new HoldLost()
      checkedAt = now()
    }
    if (now() - startedAt > MAX_MS) throw new CodeHostError('The code host is too slow.', LATER)
    const response = await fetch(input, init)
    bytes += Number(response.headers.get('content-length') ?? 0)
    if (bytes > MAX_BYTES) throw new CodeHostError('The responses of the code host are too large.', LATER)
    return response
  }
}

const LATER = { isFinal: false }
