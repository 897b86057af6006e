import { SkeinClientError, type Transport } from '@skein/client'
import { mintRepoCredential } from '@skein/contract'
import { GitError } from './git-error.ts'

/** Gets a credential for a repository from the service. */
export type MintCredential = (repo: { readonly access: string; readonly url: string }) => Promise<string>

/** A push of the largest size may take this long. */
const LEAST_LEFT_MS = 12 * 60_000
/** For those that do not expire: somebody may replace them. */
const KEPT_MS = 5 * 60_000
const MAX_KEPT = 10_000

interface Kept {
  readonly credential: Promise<string>
  until: number
}

/** Credentials of code hosts, each for one run. They are in this process and its git processes only. */
export class RepoCredentials {
  readonly #transport: Transport
  readonly #now: () => number
  readonly #kept = new Map<string, Kept>()

  constructor(transport: Transport, now: () => number) {
    this.#transport = transport
    this.#now = now
  }

  readonly mint: MintCredential = async ({ access, url }) => {
    const key = `${access} ${url}`
    const known = this.#kept.get(key)
    if (known && known.until > this.#now()) return known.credential
    this.#forgetExpired()
    // Concurrent callers share one request.
    const kept: Kept = {
      credential: this.#ask(access, url, (until) => (kept.until = until)),
      until: Infinity,
    }
    this.#kept.set(key, kept)
    try {
      return await kept.credential
    } catch (error) {
      if (this.#kept.get(key) === kept) this.#kept.delete(key)
      throw explain(url, error)
    }
  }

  async #ask(access: string, url: string, keepUntil: (time: number) => void): Promise<string> {
    const { credential, expireTime } = await this.#transport.call(mintRepoCredential, {
      body: { access, url },
    })
    keepUntil(expireTime === '' ? this.#now() + KEPT_MS : Date.parse(expireTime) - LEAST_LEFT_MS)
    return credential
  }

  #forgetExpired(): void {
    for (const [key, { until }] of this.#kept) if (until <= this.#now()) this.#kept.delete(key)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest)
  }
}

/** The service's message is for people: it says what the code host answered. */
function explain(url: string, error: unknown): GitError {
  const message = error instanceof Error ? error.message : String(error)
  const kind = error instanceof SkeinClientError && !error.isRetryable ? 'auth' : 'unreachable'
  return new GitError(kind, `There is no credential for the repository ${url}: ${message}`)
}
