import { lookup, promises as dns, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { mayContact, parseAddressRange, type AddressRange } from '@skein/core'

const RESOLVE_TIMEOUT_MS = 3_000
const RESOLVE_TRIES = 2

/** Receivers that may be contacted although they are not on the public internet. */
export interface AllowedReceivers {
  readonly hosts: ReadonlySet<string>
  readonly ranges: readonly AddressRange[]
}

/** Host names, addresses and blocks of addresses, separated by commas. */
export function parseAllowedReceivers(text: string): AllowedReceivers {
  const entries = text.split(',').map((entry) => entry.trim().toLowerCase())
  const ranges = entries.flatMap((entry) => parseAddressRange(entry) ?? [])
  const hosts = entries.filter((entry) => entry !== '' && parseAddressRange(entry) === undefined)
  return { hosts: new Set(hosts), ranges }
}

/** Tells the integration's owner no more than that its own URL cannot be used. */
class ForbiddenReceiver extends Error {
  override readonly name = 'ForbiddenReceiver'

  constructor(host: string) {
    super(`${host} is not a public address. Ask your operator to allow it (SKEIN_OUTBOUND_ALLOW).`)
  }
}

/**
 * Resolves names for connections to addresses that tenants choose. A name is resolved once, every address is checked, and
 * the connection goes to a checked address, so a name that resolves differently a moment later changes nothing.
 */
export class OutboundAddresses {
  readonly #allowed: AllowedReceivers
  // Not `lookup` for names of tenants: it occupies a thread that the whole process shares until it is answered.
  readonly #resolver = new dns.Resolver({ timeout: RESOLVE_TIMEOUT_MS, tries: RESOLVE_TRIES })

  constructor(allowed: AllowedReceivers) {
    this.#allowed = allowed
  }

  /** For tests with a name server of their own. */
  useServers(servers: readonly string[]): void {
    this.#resolver.setServers(servers)
  }

  /** Node does not look up what is an address already, so that must be checked beforehand. */
  requireAllowed({ hostname }: URL): void {
    const host = hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !this.#isAllowed(host)) throw new ForbiddenReceiver(host)
  }

  readonly lookup: LookupFunction = (hostname, options, callback) => {
    void this.#answer(hostname, options.all === true, callback)
  }

  async #answer(
    ...[hostname, all, callback]: [string, boolean, Parameters<LookupFunction>[2]]
  ): Promise<void> {
    let found: LookupAddress[]
    try {
      found = await this.#resolve(hostname)
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), '')
      return
    }
    if (all) callback(null, found)
    else callback(null, found[0]?.address ?? '', found[0]?.family)
  }

  async #resolve(hostname: string): Promise<LookupAddress[]> {
    if (this.#allowed.hosts.has(hostname.toLowerCase())) return lookUpTrusted(hostname)
    const found = await this.#query(hostname)
    if (found.some(({ address }) => !this.#isAllowed(address))) throw new ForbiddenReceiver(hostname)
    return found
  }

  async #query(hostname: string): Promise<LookupAddress[]> {
    const answers = await Promise.allSettled([
      this.#resolver.resolve4(hostname),
      this.#resolver.resolve6(hostname),
    ])
    const found = answers.flatMap((answer, index) =>
      answer.status === 'fulfilled'
        ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
        : [],
    )
    if (found.length === 0) throw new Error(`The name ${hostname} could not be resolved.`)
    return found
  }

  #isAllowed(address: string): boolean {
    return mayContact(address, { allowed: this.#allowed.ranges })
  }
}

/** As the machine resolves it, including its own list of hosts. */
function lookUpTrusted(hostname: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, found) => (error ? reject(error) : resolve(found)))
  })
}
