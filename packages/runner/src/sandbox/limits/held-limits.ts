import { MACHINE_LIMITS } from '@skein/contract/facts'
import { createCgroup, type Cgroup } from './cgroup.ts'
import type { CgroupLimit } from './cgroup-places.ts'
import { nameUniquely } from '../programs.ts'
import type { LimitProblems, SandboxSpec } from '../sandbox.ts'

/** A promised limit cannot be enforced after all. */
export class LimitNotHeld extends Error {}

const NO_CGROUP =
  'the runner has no cgroup for it. Start the runner as root, or give it one ' +
  '(systemd: Delegate=yes and DelegateSubgroup=runner)'

/** Disk usage is watched from outside, everywhere. */
function findLimitProblems(holds: ReadonlySet<CgroupLimit>, canLimitProcesses: boolean): LimitProblems {
  return {
    cpus: holds.has('cpus') ? '' : `CPU time cannot be limited: ${NO_CGROUP}.`,
    memoryMib: holds.has('memoryMib') ? '' : `Memory cannot be limited: ${NO_CGROUP}.`,
    diskMib: '',
    processes:
      holds.has('processes') || canLimitProcesses
        ? ''
        : `The number of processes cannot be limited: ${NO_CGROUP}; or use Linux 5.14 or newer with prlimit.`,
  }
}

/** Tries out which limits can be enforced here. */
export async function probeLimits(canLimitProcesses: boolean): Promise<LimitProblems> {
  const limits = { cpus: 1, memoryMib: 64, processes: 16 }
  const cgroup = await createCgroup(nameUniquely('skein-probe'), limits)
  await cgroup.remove()
  return findLimitProblems(cgroup.holds, canLimitProcesses)
}

/** The limits of a sandbox that the kernel enforces. Throws if one cannot be enforced. */
export async function openLimits({ id, limits }: SandboxSpec, canLimitProcesses: boolean): Promise<Cgroup> {
  const cgroup = await createCgroup(nameUniquely(`skein-${id}`), limits)
  const problems = findLimitProblems(cgroup.holds, canLimitProcesses)
  const found = MACHINE_LIMITS.filter((limit) => limits[limit] > 0).map((limit) => problems[limit])
  const unheld = found.filter((problem) => problem !== '')
  if (unheld.length === 0) return cgroup
  await cgroup.remove()
  throw new LimitNotHeld(unheld.join(' '))
}
