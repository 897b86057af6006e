import type { Server } from 'node:net'
import { fileURLToPath } from 'node:url'
import { isAlive } from '@skein/host'
import type { HelperProcess } from '../helper-process.ts'

/** Started in the namespace, it keeps it until its input ends, that is, with the runner. Then it runs no code of ours. */
const KEEP = '"$@" || exit; exec 3>&- 4>&- 5>&-; exec cat'

/** A network namespace for one sandbox, with the front's port in it. */
export interface SandboxNetwork {
  /** The front's listening socket inside. */
  readonly listener: Server
  /** A command prefix that enters the network. Throws if it no longer exists. */
  readonly enter: readonly string[]
  readonly isRunning: boolean
  close(): Promise<void>
}

/** The command that keeps a namespace, and has a listener made in it first. */
export function keepCommand(port: number): string[] {
  const source = new URL('./front-listener.ts', import.meta.url)
  const script = fileURLToPath(
    import.meta.url.endsWith('.ts') ? source : new URL('./front-listener.js', import.meta.url),
  )
  return ['sh', '-c', KEEP, 'sh', process.execPath, '--no-warnings', '--v8-pool-size=0', script, String(port)]
}

/** Waits for the listener that the holder was told to make. `helpers` end with the network. */
export async function awaitNetwork(
  holder: HelperProcess,
  helpers: readonly HelperProcess[] = [],
): Promise<SandboxNetwork> {
  const { listener, pid } = await holder.awaitListener()
  // Bubblewrap may have seen the end of what it started before we see its own.
  const isRunning = () => holder.isRunning && isAlive(pid)
  return {
    listener,
    get isRunning() {
      return isRunning()
    },
    get enter() {
      if (!isRunning()) throw new Error('The sandbox’s network no longer exists')
      return ['nsenter', '--target', String(pid), '--user', '--net', '--preserve-credentials', '--']
    },
    close: async () => {
      listener.close()
      await Promise.all([holder, ...helpers].map((helper) => helper.end()))
    },
  }
}
