import ipaddr from 'ipaddr.js'

/** A block of addresses, from `parseAddressRange`. */
export interface AddressRange {
  readonly family: 4 | 6
  /** Canonical: first address, slash, prefix length. */
  readonly cidr: string
}

/** Exceptions to the general rule. */
export interface AddressExceptions {
  /** Always allowed. */
  readonly allowed?: readonly AddressRange[]
  /** Never allowed although they look public, such as the host's own addresses. */
  readonly forbidden?: readonly AddressRange[]
}

/**
 * Everything that is not an ordinary public internet address, and that an address from a tenant must not resolve to.
 * IPv4 follows the registry of special-purpose addresses. In IPv6 only 2000::/3 is public, which excludes loopback,
 * link-local, unique local, multicast, NAT64 and every embedded IPv4 form.
 */
export const RESERVED_RANGES: readonly AddressRange[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Link-local, including the metadata service of most clouds.
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
  // Azure's metadata service, which is not link-local.
  '168.63.129.16/32',
  '::/3',
  '4000::/2',
  '8000::/1',
  // Teredo, benchmarking, ORCHID and other IETF assignments.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
].map((cidr) => requireRange(cidr))

/** Parses an address or a block such as `10.0.0.0/8`. Undefined for anything else. */
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
 * Whether an untrusted address may be contacted. Accepts every spelling a resolver does (`0x7f.1`, `2130706433`,
 * `::ffff:127.0.0.1`) and checks the address it stands for. False for anything that is not an address.
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
  // The parser would treat `::1.2.3.4` as `::ffff:1.2.3.4`, which is wrong.
  if (text.includes(':') && text.includes('.') && !/^::ffff:/i.test(text)) return undefined
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined
}

function contains(cidr: string, ip: Ip): boolean {
  const range = ipaddr.parseCIDR(cidr)
  return range[0].kind() === ip.kind() && ip.match(range)
}

function requireRange(cidr: string): AddressRange {
  const range = parseAddressRange(cidr)
  if (!range) throw new Error(`Not an address range: ${cidr}`)
  return range
}
