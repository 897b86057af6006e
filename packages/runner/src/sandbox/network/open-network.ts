import type { AddressRange } from '@skein/core'
import { listOwnAddresses } from '../../network/own-addresses.ts'
import { HelperProcess } from '../helper-process.ts'
import { writeFilter } from './network-filter.ts'
import { awaitNetwork, keepCommand, type SandboxNetwork } from './sandbox-network.ts'

export interface OpenNetworkOptions {
  /** The front's port. */
  readonly port: number
  /** Non-public ranges that agents may reach. */
  readonly allowed: readonly AddressRange[]
  /** Puts a helper process under the sandbox's limits. */
  readonly admit: (pid: number) => boolean
}

/** The filter comes first. After that, nothing in the namespace has capabilities. */
const HOLD =
  'nft -- "$1" && echo filtered >&3 && shift && exec setpriv --inh-caps=-all --ambient-caps=-all --bounding-set=-all -- "$@"'

/**
 * A network namespace with a way out through slirp4netns, which turns traffic from inside into ordinary connections
 * of the runner's user. It belongs to a user namespace above bubblewrap's, so nothing inside can change its filter.
 * Shared by all programs of one sandbox. Throws with the programs' error output.
 */
export async function openNetwork({ port, allowed, admit }: OpenNetworkOptions): Promise<SandboxNetwork> {
  const holder = startHolder(port, allowed)
  const helpers = [holder]
  try {
    admit(holder.pid)
    // There must never be a way out without a filter.
    await holder.awaitWord(3)
    const slirp = startSlirp(holder.pid)
    helpers.push(slirp)
    admit(slirp.pid)
    await slirp.awaitWord(4)
    return await awaitNetwork(holder, [slirp])
  } catch (error) {
    await Promise.all(helpers.map((helper) => helper.end()))
    throw error
  }
}

function startHolder(port: number, allowed: readonly AddressRange[]): HelperProcess {
  const filter = writeFilter({ own: listOwnAddresses(), allowed })
  const hold = ['--user', '--map-root-user', '--net', '--', 'sh', '-c', HOLD, 'sh', filter]
  return new HelperProcess('unshare', [...hold, ...keepCommand(port)])
}

/** It exits when the runner's end of descriptor 3 closes, and reports on descriptor 4 that it is ready. */
function startSlirp(namespaceOf: number): HelperProcess {
  const walls = ['--disable-host-loopback', '--enable-sandbox', '--enable-seccomp']
  const channels = ['--exit-fd=3', '--ready-fd=4']
  const place = [String(namespaceOf), 'tap0']
  return new HelperProcess('slirp4netns', ['--configure', '--mtu=65520', ...walls, ...channels, ...place])
}
