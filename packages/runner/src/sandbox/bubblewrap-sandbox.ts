import { probeBubblewrap } from './bubblewrap-probe.ts'
import { markPrefix, wrapCommand } from './bubblewrap-command.ts'
import { createCgroup } from './cgroup.ts'
import { checkDirectories, makePrivateDirectory } from './directories.ts'
import { nameUniquely, Programs } from './programs.ts'
import { canLimitProcessesPerNamespace, limitCommand } from './rlimits.ts'
import type { SandboxProvider } from './sandbox.ts'

/**
 * Namespaces of the kernel, by way of bubblewrap: an agent sees its own directories and the system's programs, and
 * nothing else. It shares the kernel with the host, so it is no wall against a tenant who attacks the kernel itself.
 * With an open network it also reaches whatever listens on the host's loopback.
 */
export function bubblewrapSandbox(): SandboxProvider {
  return {
    level: 'bubblewrap',
    probe: probeBubblewrap,
    create: async (spec) => {
      await checkDirectories(spec)
      const home = await makePrivateDirectory(spec, 'home')
      const cgroup = await createCgroup(nameUniquely(`skein-${spec.id}`), spec.limits)
      const processes = canLimitProcessesPerNamespace() ? spec.limits.processes : undefined
      const options = { spec, home, limit: limitCommand(spec.limits, processes) }
      const programs = new Programs({
        sandboxId: spec.id,
        marked: { file: 'cmdline', prefix: markPrefix },
        cgroup,
      })
      return {
        level: 'bubblewrap',
        spec,
        spawn: (command) => programs.start((mark) => wrapCommand(command, mark, options)),
        dispose: () => programs.dispose(),
      }
    },
  }
}
