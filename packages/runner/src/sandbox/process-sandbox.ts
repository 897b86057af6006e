import { checkDirectories, makePrivateDirectory } from './directories.ts'
import type { DiskWatch } from './limits/disk-watch.ts'
import { completeEnvironment } from './environment.ts'
import { openLimits, probeLimits } from './limits/held-limits.ts'
import { waitForAdmission } from './process-gate.ts'
import type { Launch } from './program.ts'
import { Programs } from './programs.ts'
import { canLimitProcesses, countOwnTasks, limitCommand } from './limits/rlimits.ts'
import type { SandboxProvider } from './sandbox.ts'

/** Marks the environment of the sandbox's processes, so that those that leave the process group are found as well. */
const markVariable = 'SKEIN_SANDBOX'

const NOT_HELD =
  'The process sandbox cannot restrict network access. Use bubblewrap; or, if agents may use the host’s ' +
  'network, set SKEIN_RUNNER_HOST_NETWORK=true on the runner.'

/**
 * No isolation: for development, with trusted code and agents. A process that leaves its group, its parent and its
 * environment behind can outlive this sandbox.
 */
export function processSandbox(disk: DiskWatch): SandboxProvider {
  return {
    level: 'process',

    probe: async () => ({
      isUsable: true,
      limits: await probeLimits(canLimitProcesses()),
      networks: { none: NOT_HELD, gateway: NOT_HELD, open: '' },
      notes: ['The process sandbox does not isolate agents: use it only for trusted code and agents.'],
    }),

    prepare: () => undefined,
    expectOne: () => undefined,
    close: async () => undefined,

    create: async (spec) => {
      await checkDirectories(spec)
      const HOME = await makePrivateDirectory(spec, 'home')
      const TMPDIR = await makePrivateDirectory(spec, 'tmp')
      const cgroup = await openLimits(spec, canLimitProcesses())
      const { processes } = spec.limits
      // Relative to everything this user runs on the host: a loose bound, but it stops a fork bomb.
      const isCounted = processes > 0 && !cgroup.holds.has('processes') && canLimitProcesses()
      const limit = limitCommand(spec.limits, isCounted ? countOwnTasks() + processes : 0)
      const marked = { file: 'environ', prefix: `${markVariable}=` } as const
      const programs = await Programs.watch(spec, disk, { marked, cgroup })
      return {
        level: 'process',
        spec,
        spawn: (command) =>
          programs.start((mark) => {
            const env = { ...completeEnvironment(command.env, { HOME, TMPDIR }), [markVariable]: mark }
            const line = [...limit, command.program, ...command.args]
            return cgroup.holds.size > 0
              ? waitForAdmission(line, { env, workDir: command.workDir })
              : startAtOnce(line, { env, workDir: command.workDir })
          }),
        findBreach: () => programs.breach,
        countMemoryKills: () => cgroup.countMemoryKills(),
        dispose: () => programs.dispose(),
      }
    },
  }
}

function startAtOnce(
  [program = '', ...args]: readonly string[],
  place: { readonly env: Record<string, string>; readonly workDir: string },
): Launch {
  return { program, args, ...place, inputs: [], tellsChild: false }
}
