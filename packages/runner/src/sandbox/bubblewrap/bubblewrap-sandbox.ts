import { probeBubblewrap } from './bubblewrap-probe.ts'
import { markPrefix, wrapCommand } from './bubblewrap-command.ts'
import { memoryDir, type Connection } from './bubblewrap-mounts.ts'
import type { Cgroup } from '../limits/cgroup.ts'
import { checkDirectories, makePrivateDirectory } from '../directories.ts'
import { EarlyMove } from '../limits/early-move.ts'
import { openLimits } from '../limits/held-limits.ts'
import { openNetwork } from '../network/open-network.ts'
import { ReadyNetworks } from '../network/ready-networks.ts'
import type { SandboxNetwork } from '../network/sandbox-network.ts'
import { Programs } from '../programs.ts'
import { canLimitProcessesPerNamespace, limitCommand } from '../limits/rlimits.ts'
import type { SandboxHost, SandboxProvider, SandboxSpec } from '../sandbox.ts'

/**
 * Kernel namespaces, created with bubblewrap: an agent sees its own directories and the system's programs, nothing
 * else. It shares the host's kernel, so it does not protect against a tenant who attacks the kernel itself.
 */
export function bubblewrapSandbox({ allowedRanges, disk, ready }: SandboxHost): SandboxProvider {
  const networks = new ReadyNetworks(ready)
  const earlyMove = new EarlyMove()
  const connect = async (spec: SandboxSpec, cgroup: Cgroup): Promise<SandboxNetwork | undefined> => {
    if (spec.network === 'host') return undefined
    const { port } = spec.front
    return spec.network === 'open'
      ? openNetwork({ port, allowed: allowedRanges, admit: cgroup.admit })
      : networks.take(port)
  }
  return {
    level: 'bubblewrap',
    probe: probeBubblewrap,
    prepare: () => {
      networks.fill()
      earlyMove.prepare()
    },
    expectOne: () => void earlyMove.make(),
    close: async () => {
      await Promise.all([networks.close(), earlyMove.close()])
    },
    create: async (spec) => {
      // Again: the agent's repositories may have taken a while.
      void earlyMove.make()
      await checkDirectories(spec)
      const home = await makePrivateDirectory(spec, 'home')
      const cgroup = await openLimits(spec, canLimitProcessesPerNamespace())
      const network = await connect(spec, cgroup).catch(async (error: unknown) => {
        await cgroup.remove()
        throw error
      })
      if (network) spec.front.serve(network.listener)
      const limit = limitCommand(spec.limits, canLimitProcessesPerNamespace() ? spec.limits.processes : 0)
      const connection = connectionOf(spec)
      const marked = { file: 'cmdline', prefix: markPrefix } as const
      const programs = await Programs.watch(spec, disk, { marked, cgroup }).catch(async (error: unknown) => {
        await Promise.all([cgroup.remove(), network?.close()])
        throw error
      })
      return {
        level: 'bubblewrap',
        spec,
        memoryDir,
        spawn: (command) =>
          programs.start((mark) =>
            wrapCommand(command, mark, { spec, home, connection, enter: network?.enter ?? [], limit }),
          ),
        findBreach: () => programs.breach,
        countMemoryKills: () => cgroup.countMemoryKills(),
        dispose: async () => {
          await Promise.all([programs.dispose(), network?.close()])
        },
      }
    },
  }
}

function connectionOf({ network }: SandboxSpec): Connection {
  return network === 'open' || network === 'host' ? network : 'closed'
}
