import type { AddressRange } from '@skein/core'
import { probeBubblewrap } from './bubblewrap-probe.ts'
import { markPrefix, wrapCommand } from './bubblewrap-command.ts'
import type { Connection } from './bubblewrap-mounts.ts'
import type { Cgroup } from '../limits/cgroup.ts'
import { checkDirectories, makePrivateDirectory } from '../directories.ts'
import { openLimits } from '../limits/held-limits.ts'
import { OpenNetwork } from '../network/open-network.ts'
import { Programs } from '../programs.ts'
import { canLimitProcessesPerNamespace, limitCommand } from '../limits/rlimits.ts'
import type { SandboxHost, SandboxProvider, SandboxSpec } from '../sandbox.ts'

/**
 * Kernel namespaces, created with bubblewrap: an agent sees its own directories and the system's programs, nothing
 * else. It shares the host's kernel, so it does not protect against a tenant who attacks the kernel itself.
 */
export function bubblewrapSandbox({ allowedRanges, disk }: SandboxHost): SandboxProvider {
  return {
    level: 'bubblewrap',
    probe: probeBubblewrap,
    create: async (spec) => {
      await checkDirectories(spec)
      const home = await makePrivateDirectory(spec, 'home')
      const cgroup = await openLimits(spec, canLimitProcessesPerNamespace())
      const network = await openNetwork(spec, allowedRanges, cgroup)
      const limit = limitCommand(spec.limits, canLimitProcessesPerNamespace() ? spec.limits.processes : 0)
      const connection = connectionOf(spec)
      const marked = { file: 'cmdline', prefix: markPrefix } as const
      const programs = await Programs.watch(spec, disk, { marked, cgroup })
      return {
        level: 'bubblewrap',
        spec,
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

/** Undefined if none is needed. */
async function openNetwork(
  { network, front }: SandboxSpec,
  allowed: readonly AddressRange[],
  cgroup: Cgroup,
): Promise<OpenNetwork | undefined> {
  if (network !== 'open') return undefined
  try {
    return await OpenNetwork.start({ front, allowed, admit: cgroup.admit })
  } catch (error) {
    await cgroup.remove()
    throw error
  }
}

function connectionOf({ network }: SandboxSpec): Connection {
  return network === 'open' ? 'own' : network === 'host' ? 'host' : 'bridge'
}
