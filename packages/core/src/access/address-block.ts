import ipaddr from 'ipaddr.js'

/**
 * Who is counted together by address. A home or a rented machine has 64 bits of IPv6 addresses to itself, so whoever
 * counts single ones counts nothing.
 */
export function addressBlock(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString().split('%', 1)[0]}/64`).toString()}/64`
}
