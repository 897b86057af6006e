import { networkInterfaces } from 'node:os'
import { parseAddressRange, type AddressRange } from '@skein/core'

/** The host's own addresses: services that listen on all interfaces are reachable there, behind any firewall. */
export function listOwnAddresses(): AddressRange[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return interfaces.flatMap(({ address }) => parseAddressRange(address) ?? [])
}
