import type { RunnerEntry } from '@skein/client'
import { backendName } from '@skein/contract/facts'
import { formatSpan } from '../output/facts.ts'
import { faulty, healthy, type Finding } from './finding.ts'
import type { BackendNeed, Fleet } from './read-fleet.ts'

/** Whether each pool that agents use has a runner. */
export function checkRunners(fleet: Fleet, nowMs: number): Finding[] {
  const findings = [...fleet.workspacesByPool].flatMap(([pool, workspaces]) =>
    onlineIn(fleet, pool).length > 0 ? [] : [describeEmptyPool(fleet, pool, workspaces, nowMs)],
  )
  if (findings.length > 0) return findings
  return [healthy('runners', nameAll(fleet.runners.filter(({ isOnline }) => isOnline)))]
}

function describeEmptyPool(
  { runners }: Fleet,
  pool: string,
  workspaces: readonly string[],
  nowMs: number,
): Finding {
  const gone = runners.find(({ isOnline, pools }) => !isOnline && pools.includes(pool))
  const seen = gone && formatSpan(Math.max(0, nowMs - Date.parse(gone.seenTime)))
  const last = gone ? `; ${gone.name} was last seen ${seen} ago` : ''
  const users = workspaces.length === 1 ? `workspace ${workspaces[0]}` : `workspaces ${workspaces.join(', ')}`
  const start = `SKEIN_API_KEY=$(skein token create runner-${pool} --role runner --pool ${pool}) npx skein-runner`
  return faulty(
    'runners',
    `no runner is online for the pool ${pool} (${users})${last}`,
    `${gone ? `Start ${gone.name} again` : `Start one on a machine where SKEIN_URL is set: ${start}`}. ` +
      'For a Skein on this machine: skein dev',
  )
}

/** Whether each pool has a runner with the sandbox it requires. */
export function checkSandboxes(fleet: Fleet): Finding[] {
  const findings: Finding[] = []
  const working: string[] = []
  for (const [pool, sandbox] of fleet.sandboxOfPool) {
    const runners = onlineIn(fleet, pool).filter(tellsOffers)
    if (runners.length === 0) continue
    const lacks = runners.filter((runner) => problemOf(runner.sandboxes, sandbox) !== '')
    if (lacks.length < runners.length) working.push(`${sandbox} for the pool ${pool}${butNot(lacks)}`)
    else findings.push(describeMissingSandbox(pool, sandbox, lacks))
  }
  if (findings.length > 0) return findings
  return working.length > 0 ? [healthy('sandbox', working.join(', '))] : []
}

function describeMissingSandbox(pool: string, sandbox: string, lacks: readonly RunnerEntry[]): Finding {
  const fixes = lacks.map(({ name, sandboxes }) => {
    const problem = problemOf(sandboxes, sandbox)
    if (problem !== NOT_OFFERED) return `On ${name}: ${problem}`
    const offered = sandboxes.map((other) => other.name)
    return (
      `On ${name}: start the runner with SKEIN_RUNNER_SANDBOXES=${[...offered, sandbox].join(',')}` +
      (offered.length > 0 ? `, or let the pool use ${offered.join(' or ')}: skein edit pool ${pool}` : '')
    )
  })
  return faulty(
    'sandbox',
    `the pool ${pool} uses the sandbox ${sandbox}, which none of its runners offers`,
    fixes.join('\n  '),
  )
}

/** Whether a runner can start each backend that workspaces and personas need. */
export function checkBackends(fleet: Fleet): Finding[] {
  const byBackend = Map.groupBy(fleet.needs, ({ backend, pool = '' }) => `${backend} ${pool}`)
  const findings: Finding[] = []
  const working = new Map<string, string>()
  for (const [need, ...others] of byBackend.values()) {
    if (!need) continue
    const runners = onlineIn(fleet, need.pool).filter(tellsOffers)
    const lacks = runners.filter(({ backends }) => problemOf(backends, need.backend) !== '')
    if (runners.length === 0) continue
    if (lacks.length < runners.length) working.set(need.backend, versionOf(need.backend, runners))
    else if (!findings.some(({ message }) => message.startsWith(`${backendName(need.backend)} `))) {
      findings.push(describeMissingBackend([need, ...others], lacks))
    }
  }
  if (findings.length > 0) return findings
  const names = [...working].map(([name, version]) =>
    [backendName(name), version === '' ? '' : `(${version})`].filter(Boolean).join(' '),
  )
  return names.length > 0 ? [healthy('backends', names.join(', '))] : []
}

function describeMissingBackend(needs: readonly BackendNeed[], lacks: readonly RunnerEntry[]): Finding {
  const [{ backend, model } = { backend: '', model: '' }] = needs
  const users = needs.map(({ neededBy }) => neededBy).join(', ')
  const fixes = lacks.map(({ name, backends }) => {
    const problem = problemOf(backends, backend)
    if (problem !== NOT_OFFERED) return `On ${name}: ${problem}`
    return `On ${name}: set SKEIN_RUNNER_ACP to ${backend}=/path/to/program`
  })
  return faulty(
    'backends',
    `${backendName(backend)} is needed for ${model} (${users}), and no runner can start its program`,
    fixes.join('\n  '),
  )
}

const NOT_OFFERED = 'It is not offered.'

/** Empty if it works. */
function problemOf(
  parts: readonly { readonly name: string; readonly problem: string }[],
  name: string,
): string {
  return parts.find((part) => part.name === name)?.problem ?? NOT_OFFERED
}

/** Third-party runners may report no offers. Then nothing is known about them. */
function tellsOffers({ backends, sandboxes }: RunnerEntry): boolean {
  return backends.length > 0 || sandboxes.length > 0
}

export function onlineIn({ runners }: Fleet, pool: string | undefined): RunnerEntry[] {
  return runners.filter(({ isOnline, pools }) => isOnline && (pool === undefined || pools.includes(pool)))
}

function versionOf(backend: string, runners: readonly RunnerEntry[]): string {
  const versions = runners.flatMap(({ backends }) => backends.filter(({ name }) => name === backend))
  return versions.find(({ version }) => version !== '')?.version ?? ''
}

function butNot(runners: readonly RunnerEntry[]): string {
  return runners.length === 0 ? '' : ` (but not on ${nameAll(runners)})`
}

/** Each name once, with a count: runners on one host often share its name. */
function nameAll(runners: readonly RunnerEntry[]): string {
  return [...Map.groupBy(runners, ({ name }) => name)]
    .map(([name, { length }]) => (length === 1 ? name : `${name} (${length})`))
    .join(', ')
}
