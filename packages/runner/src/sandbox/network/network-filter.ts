import { RESERVED_RANGES, type AddressRange } from '@skein/core'

/** Where slirp4netns answers DNS queries inside the namespace. It forwards them to the host's name server. */
export const nameServer = '10.0.2.3'

export interface FilterOptions {
  /** The host's own addresses: never reachable, not even within an allowed range. */
  readonly own: readonly AddressRange[]
  /** Non-public ranges that the runner's operator allows. */
  readonly allowed: readonly AddressRange[]
}

/**
 * The nft rules for a sandbox with an open network: IPv4 to public addresses, and DNS queries. Filters packets,
 * because routes alone can be bypassed with SO_BINDTODEVICE.
 */
export function writeFilter({ own, allowed }: FilterOptions): string {
  const reject = 'reject with icmp type admin-prohibited'
  return `table inet skein {
  ${defineSet('own', own)}
  ${defineSet('allowed', allowed)}
  ${defineSet('reserved', RESERVED_RANGES)}
  chain output {
    type filter hook output priority 0; policy drop;
    oif "lo" accept
    ip daddr ${nameServer} meta l4proto { tcp, udp } th dport 53 accept
    ip daddr @own ${reject}
    ip daddr @allowed accept
    ip daddr @reserved ${reject}
    meta nfproto ipv4 accept
    reject with icmpx type admin-prohibited
  }
}
`
}

/** IPv4 only: IPv6 has no way out. */
function defineSet(name: string, ranges: readonly AddressRange[]): string {
  const elements = ranges.filter(({ family }) => family === 4).map(({ cidr }) => cidr)
  const filled = elements.length === 0 ? '' : `elements = { ${elements.join(', ')} };`
  return `set ${name} { type ipv4_addr; flags interval; auto-merge; ${filled} }`
}
