import { lookup as resolveName } from 'node:dns/promises'
import { mayContact, type AddressRange } from '@skein/core'
import { listOwnAddresses } from '../network/own-addresses.ts'
import { GitError } from './git-error.ts'
import type { GitConfig } from './git-environment.ts'
import type { RepoAddress } from './repo-address.ts'

export interface UpstreamGuardOptions {
  /** Ranges that the runner's owner lets tenants name although they are not public. */
  readonly allowed?: readonly AddressRange[]
  readonly lookup?: (host: string) => Promise<readonly string[]>
}

/**
 * Tenants choose the addresses of repositories, and the runner's git contacts them from a network that tenants must
 * not reach. Each is resolved and checked, and git is told to connect to what was checked.
 */
export class UpstreamGuard {
  readonly #allowed: readonly AddressRange[]
  readonly #lookup: (host: string) => Promise<readonly string[]>

  constructor({ allowed = [], lookup = resolveAll }: UpstreamGuardOptions = {}) {
    this.#allowed = allowed
    this.#lookup = lookup
  }

  /**
   * What git has to be told so that it connects to a checked address only. A name that cannot be resolved here may be
   * known to the owner's proxy, which then decides where it leads.
   */
  async pin({ url, isLocal }: RepoAddress, hasProxy: boolean): Promise<GitConfig> {
    if (isLocal) return []
    const { hostname, port, protocol } = new URL(url)
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    const found = await this.#lookup(host).catch(() => [])
    if (found.length === 0 && hasProxy) return []
    const own = listOwnAddresses()
    const addresses = found.filter((address) =>
      mayContact(address, { allowed: this.#allowed, forbidden: own }),
    )
    // The same words for a name that nobody knows: they would tell which names there are inside.
    if (addresses.length === 0) {
      throw new GitError(
        'unreachable',
        `The repository ${url} has no address that this runner may contact. ` +
          'Whoever operates the runner can allow private addresses with SKEIN_RUNNER_REPO_RANGES.',
      )
    }
    const pinned = addresses.map((address) => (address.includes(':') ? `[${address}]` : address)).join(',')
    return [['http.curloptResolve', `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}:${pinned}`]]
  }
}

async function resolveAll(host: string): Promise<string[]> {
  const found = await resolveName(host, { all: true })
  return found.map(({ address }) => address)
}
