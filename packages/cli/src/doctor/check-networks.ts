import type { RunnerEntry } from '@skein/client'
import { onlineIn } from './check-fleet.ts'
import { faulty, healthy, type Finding } from './finding.ts'
import type { Fleet } from './read-fleet.ts'

/** Whether each workspace's pool has a runner that permits its network policy. */
export function checkNetworks(fleet: Fleet): Finding[] {
  const faults: Finding[] = []
  const permitted = new Set<string>()
  for (const [pool, workspaces] of fleet.workspacesByPool) {
    for (const [network, members] of Map.groupBy(
      workspaces,
      (name) => fleet.networkOfWorkspace.get(name) ?? '',
    )) {
      const answers = askRunners(fleet, pool, network)
      if (answers.some(({ problem }) => problem === '')) permitted.add(network)
      else if (answers.length > 0) faults.push(describeRefusal(pool, network, members, answers))
    }
  }
  if (faults.length > 0) return faults
  return permitted.size > 0 ? [healthy('network', [...permitted].join(', '))] : []
}

/** Why no runner gets a run of this workspace; undefined if the network is not the reason. */
export function explainRefusal(fleet: Fleet, workspace: string): Finding | undefined {
  const [pool] = [...fleet.workspacesByPool].find(([, members]) => members.includes(workspace)) ?? []
  const network = fleet.networkOfWorkspace.get(workspace)
  if (pool === undefined || network === undefined) return undefined
  const answers = askRunners(fleet, pool, network)
  const isRefused = answers.length > 0 && answers.every(({ problem }) => problem !== '')
  return isRefused ? describeRefusal(pool, network, [workspace], answers) : undefined
}

/** Why a runner refuses a network; empty if it permits it. */
interface Answer {
  readonly runner: string
  readonly problem: string
}

function describeRefusal(
  pool: string,
  network: string,
  workspaces: readonly string[],
  answers: readonly Answer[],
): Finding {
  const users = workspaces.length === 1 ? `workspace ${workspaces[0]}` : `workspaces ${workspaces.join(', ')}`
  return faulty(
    'network',
    `agents of ${users} are waiting for the network ${network}, which no runner of the pool ${pool} permits`,
    answers.map(({ runner, problem }) => `On ${runner}: ${problem}`).join('\n  '),
  )
}

/** Skips third-party runners that report nothing about networks. */
function askRunners(fleet: Fleet, pool: string, network: string): Answer[] {
  const sandbox = fleet.sandboxOfPool.get(pool) ?? ''
  return onlineIn(fleet, pool).flatMap((runner) => {
    const problem = problemOf(runner, sandbox, network)
    return problem === undefined ? [] : [{ runner: runner.name, problem }]
  })
}

/** Undefined if the runner doesn't report it, or doesn't offer the sandbox at all. */
function problemOf({ sandboxes }: RunnerEntry, sandbox: string, network: string): string | undefined {
  const offered = sandboxes.find(({ name, problem }) => name === sandbox && problem === '')
  return offered?.networks.find(({ name }) => name === network)?.problem
}
