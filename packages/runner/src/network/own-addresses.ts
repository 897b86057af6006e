import { networkInterfaces } from 'node:os'
import { parseAddressRange, type AddressRange } from '@skein/core'

/** The host's own addresses: what listens on all of them is there too, behind whatever firewall keeps others out. */
export function listOwnAddresses(): AddressRange[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return interfaces.flatMap(({ address }) => parseAddressRange(address) ?? [])
}
