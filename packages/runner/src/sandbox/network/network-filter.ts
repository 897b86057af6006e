import { RESERVED_RANGES, type AddressRange } from '@skein/core'

/** Where slirp4netns answers inside of the namespace: it passes questions on to the host's own name server. */
export const nameServer = '10.0.2.3'

export interface FilterOptions {
  /** The host's own addresses: never reached, not even inside of an allowed range. */
  readonly own: readonly AddressRange[]
  /** Ranges that the runner's owner lets agents reach although they are not public. */
  readonly allowed: readonly AddressRange[]
}

/**
 * What may leave a sandbox with an open network, for nft: IPv4 to public addresses, and questions for names. It looks
 * at packets, because routes alone can be passed by with SO_BINDTODEVICE.
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

/** Of IPv4 alone: there is no way out for IPv6. */
function defineSet(name: string, ranges: readonly AddressRange[]): string {
  const elements = ranges.filter(({ family }) => family === 4).map(({ cidr }) => cidr)
  const filled = elements.length === 0 ? '' : `elements = { ${elements.join(', ')} };`
  return `set ${name} { type ipv4_addr; flags interval; auto-merge; ${filled} }`
}
