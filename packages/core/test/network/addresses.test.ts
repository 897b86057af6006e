import { BlockList, isIPv4 } from 'node:net'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mayContact, parseAddressRange, RESERVED_RANGES, type AddressRange } from '../../src/index.ts'

const octet = fc.integer({ min: 0, max: 255 })
const ipv4 = fc.tuple(octet, octet, octet, octet)
const ipv6 = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 })

/** Every way that inet_aton takes an address: one to four parts, each in base 8, 10 or 16. */
const spelling = fc.record({
  parts: fc.integer({ min: 1, max: 4 }),
  bases: fc.array(fc.constantFrom(8, 10, 16), { minLength: 4, maxLength: 4 }),
})

function spell(octets: readonly number[], { parts, bases }: { parts: number; bases: number[] }): string {
  const leading = octets.slice(0, parts - 1)
  const rest = octets.slice(parts - 1).reduce((sum, value) => sum * 256 + value, 0)
  return [...leading, rest]
    .map((value, index) => {
      const base = bases[index] ?? 10
      const prefix = base === 16 ? '0x' : base === 8 ? '0' : ''
      return base === 8 && value === 0 ? '0' : prefix + value.toString(base)
    })
    .join('.')
}

function rangesOf(...texts: string[]): AddressRange[] {
  return texts.map((text) => parseAddressRange(text) as AddressRange)
}

describe('addresses that may be contacted', () => {
  test.each([
    ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
    ['any address of this host', '0.0.0.0', '0.1.2.3', '::'],
    ['private', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fd12::1', 'fc00::1'],
    ['shared by carriers', '100.64.0.1', '100.127.255.255', '100.100.100.200'],
    ['link-local', '169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
    ['of a metadata service', '169.254.169.254', 'fd00:ec2::254', '168.63.129.16', '192.0.0.192'],
    ['multicast and broadcast', '224.0.0.1', '239.255.255.250', '255.255.255.255', 'ff02::1'],
    ['for examples and benchmarks', '192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '2001:db8::1'],
    ['IPv4 inside of IPv6', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:0:127.0.0.1', '::127.0.0.1'],
    ['NAT64, 6to4 and Teredo', '64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2001::1', '192.88.99.1'],
    ['spelled oddly', '0x7f.1', '127.1', '2130706433', '017700000001', '0177.0.0.1', '0x7f000001', '0'],
    ['no address at all', '', ' ', 'localhost', '256.1.1.1', '08.1.1.1', '1.2.3.4.5', '[::1]', '127.0.0.1 '],
  ])('not those that are %s', (_what, ...addresses) => {
    expect(addresses.filter((address) => mayContact(address))).toEqual([])
  })

  test('those of the public internet', () => {
    const addresses = ['1.1.1.1', '9.255.255.255', '11.0.0.0', '172.32.0.1', '2606:4700::1111', '2a00::1']
    expect(addresses.filter((address) => !mayContact(address))).toEqual([])
    expect(mayContact('::ffff:1.1.1.1')).toBe(true)
  })

  test('however an IPv4 address is spelled, it is the same address', () => {
    fc.assert(
      fc.property(ipv4, spelling, (octets, how) => {
        const plain = octets.join('.')
        expect(mayContact(spell(octets, how))).toBe(mayContact(plain))
        expect(mayContact(`::ffff:${plain}`)).toBe(mayContact(plain))
      }),
    )
  })

  test('no address of a reserved range can be contacted, and every other can, as Node reads the ranges', () => {
    // One list for each family: Node takes every IPv4 address for a part of ::/3.
    const reserved = { 4: new BlockList(), 6: new BlockList() }
    for (const { cidr, family } of RESERVED_RANGES) {
      const [address = '', bits] = cidr.split('/')
      reserved[family].addSubnet(address, Number(bits), `ipv${family}`)
    }
    const near = fc.constantFrom(...RESERVED_RANGES).chain(({ cidr, family }) => {
      const [base = ''] = cidr.split('/')
      return family === 4
        ? fc.tuple(octet, octet).map(([c, d]) => [...base.split('.').slice(0, 2), c, d].join('.'))
        : fc.constant(base)
    })
    const any = ipv6.map((groups) => groups.map((group) => group.toString(16)).join(':'))
    fc.assert(
      fc.property(
        fc.oneof(
          ipv4.map((octets) => octets.join('.')),
          near,
          any,
        ),
        (address) => {
          const family = isIPv4(address) ? 4 : 6
          expect(mayContact(address)).toBe(!reserved[family].check(address, `ipv${family}`))
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test('a range that is allowed can be contacted, in every notation, and nothing else', () => {
    const allowed = rangesOf('10.20.0.0/16', 'fd00:1::/64', '127.0.0.1')
    for (const address of ['10.20.3.4', '10.1311748', '::ffff:10.20.3.4', 'fd00:1::7', '127.1']) {
      expect(mayContact(address, { allowed })).toBe(true)
    }
    for (const address of ['10.21.0.1', 'fd00:2::7', '127.0.0.2', '::1', '::ffff:10.21.0.1']) {
      expect(mayContact(address, { allowed })).toBe(false)
    }
  })

  test('a public address that is forbidden cannot be contacted unless it is allowed', () => {
    const forbidden = rangesOf('8.8.8.8')
    expect(mayContact('8.8.8.8', { forbidden })).toBe(false)
    expect(mayContact('::ffff:8.8.8.8', { forbidden })).toBe(false)
    expect(mayContact('8.8.8.8', { forbidden, allowed: rangesOf('8.8.8.0/24') })).toBe(true)
  })
})

describe('ranges of addresses', () => {
  test.each([
    ['10.1.2.3/8', { family: 4, cidr: '10.0.0.0/8' }],
    ['10.1.2.3', { family: 4, cidr: '10.1.2.3/32' }],
    [' fd00::1/8 ', { family: 6, cidr: 'fd00::/8' }],
    ['::1', { family: 6, cidr: '::1/128' }],
    ['0.0.0.0/0', { family: 4, cidr: '0.0.0.0/0' }],
    ['127.1', { family: 4, cidr: '127.0.0.1/32' }],
  ])('%s is read', (text, range) => {
    expect(parseAddressRange(text)).toEqual(range)
  })

  test.each([
    '',
    '/8',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '::/129',
    'example.com',
    '10.0.0.0/8/8',
    '10.0.0.0/1e1',
  ])('"%s" is not a range', (text) => {
    expect(parseAddressRange(text)).toBeUndefined()
  })

  test('whatever is given, the answer is a canonical range or none', () => {
    const text = fc.oneof(
      fc.string(),
      fc.tuple(ipv4, fc.nat(40)).map(([ip, bits]) => `${ip.join('.')}/${bits}`),
    )
    fc.assert(
      fc.property(text, (given) => {
        const range = parseAddressRange(given)
        expect(range && parseAddressRange(range.cidr)).toEqual(range)
      }),
    )
  })
})
