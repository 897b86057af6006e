import { describe, expect, test } from 'vitest'
import { addressBlock, addressNetwork } from '../src/index.ts'

describe('the block that an address is counted in', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['::1', '::/64'],
  ])('of %s is %s', (address, block) => {
    expect(addressBlock(address)).toBe(block)
  })
})

describe('the network that an address is counted in', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8:1:ffff::1', '2001:db8:1::/48'],
    ['fe80::1%eth0', 'fe80::/48'],
    ['unknown', 'unknown'],
  ])('of %s is %s', (address, network) => {
    expect(addressNetwork(address)).toBe(network)
  })
})
