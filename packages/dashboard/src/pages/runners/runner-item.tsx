import type { RunnerEntry } from '@skein/client'
import { backendName } from '@skein/contract/facts'
import { classNames } from '../../ui/class-names.ts'
import { Ago } from '../../ui/time.tsx'
import { Fact } from '../../ui/fact.tsx'

/** One runner: what it offers, what it lacks, and whether it is online. */
export function RunnerItem({ runner }: { readonly runner: RunnerEntry }) {
  const { name, isOnline, pools, capacity, build, seenTime, backends, sandboxes } = runner
  const problems = listProblems(runner)
  return (
    <li className="flex min-w-0 flex-col gap-2 px-4 py-3 text-sm">
      <h3 className="flex min-w-0 items-center gap-2">
        <span className="min-w-0 truncate font-semibold">{name}</span>
        <span
          className={classNames(
            'rounded-full px-2 py-0.5 text-xs font-semibold',
            isOnline ? 'bg-completed-soft text-completed' : 'bg-failed-soft text-failed',
          )}
        >
          {isOnline ? 'Online' : 'Offline'}
        </span>
      </h3>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-2 sm:grid-cols-3 lg:grid-cols-6">
        <Fact name="Slots">{capacity === 0 ? '–' : capacity}</Fact>
        <Fact name="Pools">{pools.join(', ')}</Fact>
        <Fact name="Backends">{listUsable(backends).map(backendName).join(', ') || 'none'}</Fact>
        <Fact name="Sandboxes">{listUsable(sandboxes).join(', ') || 'none'}</Fact>
        <Fact name="Version">{build === '' ? '–' : build}</Fact>
        <Fact name="Last seen">
          <Ago time={seenTime} />
        </Fact>
      </dl>
      {problems.length > 0 && (
        <ul className="list-inside list-disc text-xs break-words text-waiting">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
    </li>
  )
}

interface Offered {
  readonly name: string
  readonly problem: string
}

function listUsable(offered: readonly Offered[]): readonly string[] {
  return offered.filter(({ problem }) => problem === '').map(({ name }) => name)
}

function listProblems({ backends, sandboxes }: RunnerEntry): readonly string[] {
  return [
    ...backends.flatMap(({ name, problem, keyProblem }) =>
      [problem, keyProblem].filter(Boolean).map((text) => `${backendName(name)}: ${text}`),
    ),
    ...sandboxes.flatMap(({ name, problem }) => (problem === '' ? [] : [`${name}: ${problem}`])),
  ]
}
