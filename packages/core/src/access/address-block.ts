import ipaddr from 'ipaddr.js'

/**
 * Groups addresses for rate limiting. A single host or household controls a whole IPv6 /64, so limiting individual
 * IPv6 addresses would limit nothing.
 */
export function addressBlock(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString().split('%', 1)[0]}/64`).toString()}/64`
}
