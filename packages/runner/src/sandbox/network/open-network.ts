import { fileURLToPath } from 'node:url'
import type { AddressRange } from '@skein/core'
import { listOwnAddresses } from '../../network/own-addresses.ts'
import { HelperProcess } from '../helper-process.ts'
import { writeFilter } from './network-filter.ts'
import type { FrontAddress } from '../sandbox.ts'

export interface OpenNetworkOptions {
  readonly front: FrontAddress
  /** Ranges that agents may reach although they are not public. */
  readonly allowed: readonly AddressRange[]
  /** Takes a process that serves the agent under the sandbox's limits. */
  readonly admit: (pid: number) => boolean
}

/** The filter first, then nobody in the namespace has a capability any more. */
const HOLD =
  'nft -- "$1" && echo filtered >&3 && shift && exec setpriv --inh-caps=-all --ambient-caps=-all --bounding-set=-all -- "$@"'

/**
 * A network namespace with a way out through slirp4netns, which makes ordinary connections of the runner's user out of
 * what comes from inside. It belongs to a user namespace above the one that bubblewrap makes, so that nobody inside
 * can change its filter. All programs of one sandbox share it.
 */
export class OpenNetwork {
  readonly #holder: HelperProcess
  readonly #slirp: HelperProcess

  private constructor(holder: HelperProcess, slirp: HelperProcess) {
    this.#holder = holder
    this.#slirp = slirp
  }

  /** Throws with what the programs said. */
  static async start(options: OpenNetworkOptions): Promise<OpenNetwork> {
    const holder = startHolder(options)
    const helpers = [holder]
    try {
      options.admit(holder.pid)
      // There must be no moment with a way out and without a filter.
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

  /** How a command line begins that runs inside of it. */
  get enter(): readonly string[] {
    if (!this.#holder.isRunning) throw new Error('The network of the sandbox is gone')
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

/** It ends when the runner's end of descriptor 3 is closed, and says on descriptor 4 that it is ready. */
function startSlirp(namespaceOf: number): HelperProcess {
  const walls = ['--disable-host-loopback', '--enable-sandbox', '--enable-seccomp']
  const channels = ['--exit-fd=3', '--ready-fd=4']
  const place = [String(namespaceOf), 'tap0']
  return new HelperProcess('slirp4netns', ['--configure', '--mtu=65520', ...walls, ...channels, ...place])
}
