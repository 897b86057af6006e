import ipaddr from 'ipaddr.js'

/**
 * Groups addresses for rate limiting. A single host or household controls a whole IPv6 /64, so limiting individual
 * IPv6 addresses would limit nothing.
 */
export function addressBlock(address: string): string {
  return blockOf(address, 64)
}

/** What one customer of a network provider can have: an IPv6 /48, or a single IPv4 address. */
export function addressNetwork(address: string): string {
  return blockOf(address, 48)
}

function blockOf(address: string, bits: number): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  const [plain] = parsed.toNormalizedString().split('%', 1)
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${plain}/${bits}`).toString()}/${bits}`
}
