import { lookup as resolveName } from 'node:dns/promises'
import { mayContact, type AddressRange } from '@skein/core'
import { listOwnAddresses } from '../network/own-addresses.ts'
import { GitError } from './git-error.ts'
import type { GitConfig } from './git-environment.ts'
import type { RepoAddress } from './repo-address.ts'

export interface UpstreamGuardOptions {
  /** Non-public ranges that the runner's operator allows. */
  readonly allowed?: readonly AddressRange[]
  readonly lookup?: (host: string) => Promise<readonly string[]>
}

/**
 * Tenants choose repository addresses, and the runner's git contacts them from a network tenants must not reach.
 * Each address is resolved and checked, and git is made to connect to the checked one.
 */
export class UpstreamGuard {
  readonly #allowed: readonly AddressRange[]
  readonly #lookup: (host: string) => Promise<readonly string[]>

  constructor({ allowed = [], lookup = resolveAll }: UpstreamGuardOptions = {}) {
    this.#allowed = allowed
    this.#lookup = lookup
  }

  /**
   * Git configuration that restricts it to a checked address. A name that cannot be resolved here may be known to
   * the operator's proxy, which then decides where it leads.
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
    // The same message for unknown names: a different one would reveal which internal names exist.
    if (addresses.length === 0) {
      throw new GitError(
        'unreachable',
        `The repository ${url} has no address that this runner may contact. ` +
          'The runner’s operator can allow private addresses with SKEIN_RUNNER_REPO_RANGES.',
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
