import type { RunnerEntry } from '@skein/client'
import { MACHINE_LIMITS, type MachineLimit } from '@skein/contract/facts'
import { faulty, healthy, type Finding } from './finding.ts'
import type { Fleet, Machine } from './read-fleet.ts'

interface Lack {
  readonly runner: string
  readonly limit: MachineLimit
  readonly problem: string
}

/** Whether each pool has a runner that can enforce the pool's machine limits. Others get none of its runs. */
export function checkLimits(fleet: Fleet): Finding[] {
  const findings: Finding[] = []
  const held: string[] = []
  for (const [pool, machine] of fleet.machineOfPool) {
    const wanted = MACHINE_LIMITS.filter((limit) => machine.limits[limit] > 0)
    const runners = tellingRunners(fleet, pool)
    if (wanted.length === 0 || runners.length === 0) continue
    const lacks = runners.map((runner) => findLacks(runner, fleet.sandboxOfPool.get(pool) ?? '', wanted))
    const lacking = lacks.filter((found) => found.length > 0)
    if (lacking.length === runners.length) findings.push(describeLacks(pool, machine, lacking.flat()))
    else held.push(`${wanted.join(', ')} for the pool ${pool}${butNot(lacking)}`)
  }
  if (findings.length > 0) return findings
  return held.length > 0 ? [healthy('limits', held.join('; '))] : []
}

/** Notes from the pools' runners for their operators. */
export function listNotes(fleet: Fleet): Finding[] {
  return [...fleet.sandboxOfPool].flatMap(([pool, sandbox]) =>
    fleet.runners
      .filter(({ isOnline, pools }) => isOnline && pools.includes(pool))
      .flatMap(({ name, sandboxes }) =>
        sandboxes
          .filter((offered) => offered.name === sandbox)
          .flatMap(({ notes }) => notes.map((note) => healthy('note', `${name}: ${note}`))),
      ),
  )
}

/** A runner that reports no limits is assumed to enforce them all, and one without the sandbox has another fault. */
function tellingRunners({ runners, sandboxOfPool }: Fleet, pool: string): RunnerEntry[] {
  const sandbox = sandboxOfPool.get(pool)
  return runners.filter(
    ({ isOnline, pools, sandboxes }) =>
      isOnline &&
      pools.includes(pool) &&
      sandboxes.some(({ name, problem, limits }) => name === sandbox && problem === '' && limits.length > 0),
  )
}

function findLacks(
  { name, sandboxes }: RunnerEntry,
  sandbox: string,
  wanted: readonly MachineLimit[],
): Lack[] {
  const limits = sandboxes.find((offered) => offered.name === sandbox)?.limits ?? []
  return limits
    .filter((limit) => limit.problem !== '' && wanted.includes(limit.name))
    .map((limit) => ({ runner: name, limit: limit.name, problem: limit.problem }))
}

function describeLacks(pool: string, { profile, limits }: Machine, lacks: readonly Lack[]): Finding {
  const unheld = MACHINE_LIMITS.filter((limit) => lacks.some((lack) => lack.limit === limit))
  const sizes = unheld.map((limit) => `${limit} ${limits[limit]}`).join(', ')
  const fixes = lacks.map(({ runner, problem }) => `On ${runner}: ${problem}`)
  return faulty(
    'limits',
    `no run can start in the pool ${pool}, because none of its runners can enforce ${sizes} of the VM profile ${profile}`,
    [
      ...fixes,
      `Or remove the limit: skein edit vm-profile ${profile}, and set ${unheld.map((limit) => `${limit}: 0`).join(', ')}`,
    ].join('\n  '),
  )
}

function butNot(lacking: readonly (readonly Lack[])[]): string {
  if (lacking.length === 0) return ''
  return ` (but not on ${lacking.map(([lack]) => lack?.runner ?? '').join(', ')})`
}
