import { createCgroup } from './cgroup.ts'
import { checkDirectories, makePrivateDirectory } from './directories.ts'
import { completeEnvironment } from './environment.ts'
import { Programs } from './programs.ts'
import { canLimitProcesses, countOwnTasks, limitCommand } from './rlimits.ts'
import type { SandboxProvider } from './sandbox.ts'

/** Names the sandbox in the environment of its processes, so that those which leave the group are found as well. */
const markVariable = 'SKEIN_SANDBOX'

const NOT_HELD =
  'The sandbox process cannot keep anybody from the network of its host. Use bubblewrap; or, if agents may use that ' +
  'network, set SKEIN_RUNNER_HOST_NETWORK=true on the runner.'

/**
 * No wall at all: for development, with code and agents that are trusted. A process that leaves its group, its parent
 * and its environment behind can outlive its sandbox here.
 */
export function processSandbox(): SandboxProvider {
  return {
    level: 'process',

    probe: async () => ({
      isUsable: true,
      networks: { none: NOT_HELD, gateway: NOT_HELD, open: '' },
      notes: [
        'Nothing is kept apart, and memory is not limited: only for code and agents that are trusted.',
        ...(canLimitProcesses()
          ? []
          : ['The number of processes is not limited for root, nor outside of Linux.']),
      ],
    }),

    create: async (spec) => {
      await checkDirectories(spec)
      const HOME = await makePrivateDirectory(spec, 'home')
      const TMPDIR = await makePrivateDirectory(spec, 'tmp')
      // Counted among all that this user runs on the host: a loose bound, but it ends a fork bomb.
      const limit = limitCommand(
        spec.limits,
        canLimitProcesses() ? countOwnTasks() + spec.limits.processes : undefined,
      )
      // No group: the program would have forked before it could be taken in.
      const cgroup = await createCgroup(spec.id, spec.limits, [])
      const programs = new Programs({
        sandboxId: spec.id,
        marked: { file: 'environ', prefix: `${markVariable}=` },
        cgroup,
      })
      return {
        level: 'process',
        spec,
        spawn: (command) =>
          programs.start((mark) => {
            const [program = '', ...args] = [...limit, command.program, ...command.args]
            const env = { ...completeEnvironment(command.env, { HOME, TMPDIR }), [markVariable]: mark }
            return { program, args, env, workDir: command.workDir, inputs: [], tellsChild: false }
          }),
        dispose: () => programs.dispose(),
      }
    },
  }
}
