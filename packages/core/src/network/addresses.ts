import ipaddr from 'ipaddr.js'

/** A block of addresses, as `parseAddressRange` makes it. */
export interface AddressRange {
  readonly family: 4 | 6
  /** Canonical: the block's first address, a slash and the length of its prefix. */
  readonly cidr: string
}

/** Which addresses count as exceptions to the general rule. */
export interface AddressExceptions {
  /** May be contacted whatever they are. */
  readonly allowed?: readonly AddressRange[]
  /** Not to be contacted although they look public, such as the host's own addresses. */
  readonly forbidden?: readonly AddressRange[]
}

/**
 * Everything that is not an ordinary address of the public internet: what an address given by a tenant must not lead
 * to. IPv4 by the registry of special-purpose addresses; of IPv6 only 2000::/3 is public at all, which leaves out
 * loopback, link-local, unique local, multicast, NAT64 and every form with an IPv4 address inside.
 */
export const RESERVED_RANGES: readonly AddressRange[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Link-local, with the metadata service of most clouds.
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // The metadata service of Azure, which is not link-local.
  '168.63.129.16/32',
  '::/3',
  '4000::/2',
  '8000::/1',
  // Teredo, benchmarking, ORCHID and other assignments of the IETF.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
].map((cidr) => requireRange(cidr))

/** One address, or a block as `10.0.0.0/8`. Undefined for anything else. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [address = '', prefix, ...rest] = text.trim().split('/')
  const ip = parseAddress(address)
  if (!ip || rest.length > 0) return undefined
  const [family, kind] = ip.kind() === 'ipv4' ? ([4, ipaddr.IPv4] as const) : ([6, ipaddr.IPv6] as const)
  const cidr = `${ip.toString()}/${prefix ?? (family === 4 ? 32 : 128)}`
  if (!kind.isValidCIDR(cidr)) return undefined
  return { family, cidr: `${kind.networkAddressFromCIDR(cidr).toString()}/${kind.parseCIDR(cidr)[1]}` }
}

/**
 * Whether an address that somebody else chose may be contacted. Takes every spelling that a resolver takes (`0x7f.1`,
 * `2130706433`, `::ffff:127.0.0.1`) for the address that it stands for. What is no address may not be contacted.
 */
export function mayContact(address: string, exceptions: AddressExceptions = {}): boolean {
  const { allowed = [], forbidden = [] } = exceptions
  const ip = parseAddress(address)
  if (!ip) return false
  const isIn = (ranges: readonly AddressRange[]) => ranges.some(({ cidr }) => contains(cidr, ip))
  return isIn(allowed) || !(isIn(RESERVED_RANGES) || isIn(forbidden))
}

type Ip = ipaddr.IPv4 | ipaddr.IPv6

function parseAddress(text: string): Ip | undefined {
  // The parser takes `::1.2.3.4` for `::ffff:1.2.3.4`, which it is not.
  if (text.includes(':') && text.includes('.') && !/^::ffff:/i.test(text)) return undefined
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined
}

function contains(cidr: string, ip: Ip): boolean {
  const range = ipaddr.parseCIDR(cidr)
  return range[0].kind() === ip.kind() && ip.match(range)
}

function requireRange(cidr: string): AddressRange {
  const range = parseAddressRange(cidr)
  if (!range) throw new Error(`Not a range of addresses: ${cidr}`)
  return range
}
