import { HelperProcess } from '../helper-process.ts'
import { awaitNetwork, keepCommand, type SandboxNetwork } from './sandbox-network.ts'

/**
 * A network namespace that leads nowhere but to the front's port. Bubblewrap makes it, because it also brings up the
 * loopback. It belongs to a user namespace above the agent's, so nothing inside can change it. Throws with the
 * programs' error output.
 */
export async function openClosedNetwork(port: number): Promise<SandboxNetwork> {
  const namespaces = ['--unshare-user', '--unshare-net', '--die-with-parent', '--dev-bind', '/', '/']
  const holder = new HelperProcess('bwrap', [...namespaces, '--', ...keepCommand(port)])
  try {
    return await awaitNetwork(holder)
  } catch (error) {
    await holder.end()
    throw error
  }
}
