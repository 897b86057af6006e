import { fileURLToPath } from 'node:url'
import type { AddressRange } from '@skein/core'
import { listOwnAddresses } from '../../network/own-addresses.ts'
import { HelperProcess } from '../helper-process.ts'
import { writeFilter } from './network-filter.ts'
import type { FrontAddress } from '../sandbox.ts'

export interface OpenNetworkOptions {
  readonly front: FrontAddress
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
 * Shared by all programs of one sandbox.
 */
export class OpenNetwork {
  readonly #holder: HelperProcess
  readonly #slirp: HelperProcess

  private constructor(holder: HelperProcess, slirp: HelperProcess) {
    this.#holder = holder
    this.#slirp = slirp
  }

  /** Throws with the programs' error output. */
  static async start(options: OpenNetworkOptions): Promise<OpenNetwork> {
    const holder = startHolder(options)
    const helpers = [holder]
    try {
      options.admit(holder.pid)
      // There must never be a way out without a filter.
      await holder.awaitWord(3)
      const slirp = startSlirp(holder.pid)
      helpers.push(slirp)
      options.admit(slirp.pid)
      await slirp.awaitWord(4)
      await holder.awaitWord(4)
      return new OpenNetwork(holder, slirp)
    } catch (error) {
      await Promise.all(helpers.map((helper) => helper.end()))
      throw error
    }
  }

  /** A command prefix that enters the network. */
  get enter(): readonly string[] {
    if (!this.#holder.isRunning) throw new Error('The sandbox’s network no longer exists')
    return [
      'nsenter',
      '--target',
      String(this.#holder.pid),
      '--user',
      '--net',
      '--preserve-credentials',
      '--',
    ]
  }

  async close(): Promise<void> {
    await Promise.all([this.#slirp.end(), this.#holder.end()])
  }
}

function startHolder({ front, allowed }: OpenNetworkOptions): HelperProcess {
  const source = new URL('./network-holder.ts', import.meta.url)
  const script = fileURLToPath(
    import.meta.url.endsWith('.ts') ? source : new URL('./network-holder.js', import.meta.url),
  )
  const filter = writeFilter({ own: listOwnAddresses(), allowed })
  const hold = ['--user', '--map-root-user', '--net', '--', 'sh', '-c', HOLD, 'sh', filter]
  const program = [process.execPath, '--no-warnings', script, String(front.port), front.socketPath]
  return new HelperProcess('unshare', [...hold, ...program])
}

/** It exits when the runner's end of descriptor 3 closes, and reports on descriptor 4 that it is ready. */
function startSlirp(namespaceOf: number): HelperProcess {
  const walls = ['--disable-host-loopback', '--enable-sandbox', '--enable-seccomp']
  const channels = ['--exit-fd=3', '--ready-fd=4']
  const place = [String(namespaceOf), 'tap0']
  return new HelperProcess('slirp4netns', ['--configure', '--mtu=65520', ...walls, ...channels, ...place])
}
