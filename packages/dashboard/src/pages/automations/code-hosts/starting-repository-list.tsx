import type { StartingRepository } from '@skein/client'
import { useQuery } from '@tanstack/react-query'
import { Badge, type Mark } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { STACKED_ROW, StackedTable } from '../../../ui/stacked-table.tsx'
import { Ago } from '../../../ui/time.tsx'
import { startingRepositoriesQuery } from '../automation-queries.ts'
import { FirstAutomation } from '../first-automation.tsx'
import { FIRST_HOST_START } from '../first-documents.ts'
import { LoadState } from '../load-state.tsx'

const COLUMNS = ['Repository', 'Workspace', 'State', 'Read until', 'Problem'].map((title) => ({ title }))

/** Repositories whose issues start agents, and what keeps Skein from reading them. */
export function StartingRepositoryList() {
  const query = useQuery(startingRepositoriesQuery)
  const { data } = query
  return (
    <div className="flex flex-col gap-4">
      <LoadState query={query} />
      {data !== undefined && (
        <Card>
          {data.length === 0 ? (
            <FirstAutomation first={FIRST_HOST_START} />
          ) : (
            <StackedTable label="Repositories whose issues start agents" columns={COLUMNS}>
              {data.map((entry) => (
                <RepositoryRow
                  key={`${entry.workspace} ${entry.codeHost} ${entry.repository}`}
                  entry={entry}
                />
              ))}
            </StackedTable>
          )}
        </Card>
      )}
    </div>
  )
}

function RepositoryRow({ entry }: { readonly entry: StartingRepository }) {
  const { repository, codeHost, workspace, problem, readTime } = entry
  return (
    <tr className={STACKED_ROW}>
      <th scope="row" className="px-4 py-2.5 align-top font-medium max-md:w-full md:max-w-64">
        <span className="block truncate" title={repository}>
          {repository}
        </span>
        <span className="block truncate text-xs font-normal text-muted">{codeHost}</span>
      </th>
      <td className="px-4 py-2.5 align-top">{workspace}</td>
      <td className="px-4 py-2.5 align-top">
        <Badge mark={markOf(problem)} />
      </td>
      <td className="px-4 py-2.5 align-top whitespace-nowrap">
        <Ago time={readTime} />
      </td>
      <td className="px-4 py-2.5 align-top break-words max-md:w-full">
        {problem === '' ? <span className="text-muted max-md:hidden">none</span> : problem}
      </td>
    </tr>
  )
}

function markOf(problem: string): Mark {
  return problem === '' ? { label: 'Works', tone: 'good' } : { label: 'Fails', tone: 'bad' }
}
