import { backendName } from '@skein/contract/facts'
import { onlineIn } from './check-fleet.ts'
import { faulty, healthy, type Finding } from './finding.ts'
import type { Fleet } from './read-fleet.ts'

/** Whether the model keys work, as far as runners can tell: they test their own. */
export function checkKeys(fleet: Fleet): Finding[] {
  const needed = new Set(fleet.needs.map(({ backend }) => backend))
  const [problems, working] = [new Map<string, string[]>(), new Set<string>()]
  for (const runner of onlineIn(fleet, undefined)) {
    for (const { name, problem, keyProblem } of runner.backends) {
      if (!needed.has(name) || problem !== '' || fleet.ownKeys.has(name)) continue
      if (keyProblem === '') working.add(name)
      else problems.set(name, [...(problems.get(name) ?? []), `On ${runner.name}: ${keyProblem}`])
    }
  }
  if (problems.size > 0) {
    return [...problems].map(([name, fixes]) =>
      faulty('provider keys', `runs of ${backendName(name)} will fail`, fixes.join('\n  ')),
    )
  }
  const own = [...fleet.ownKeys]
    .filter((name) => needed.has(name))
    .map((name) => `${backendName(name)} (your secret)`)
  const names = [...[...working].map(backendName), ...own]
  return names.length > 0 ? [healthy('provider keys', names.join(', '))] : []
}
