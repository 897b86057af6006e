import type { StartingRepository } from '@skein/client'
import { useQuery } from '@tanstack/react-query'
import { Badge, type Mark } from '../../../ui/badge.tsx'
import { STACKED_ROW, StackedTable } from '../../../ui/stacked-table.tsx'
import { Ago } from '../../../ui/time.tsx'
import { AutomationCard } from '../automation-card.tsx'
import { startingRepositoriesQuery } from '../automation-queries.ts'
import { FIRST_HOST_START } from '../first-documents.ts'

const COLUMNS = ['Repository', 'Workspace', 'State', 'Read until', 'Problem'].map((title) => ({ title }))

/** Repositories whose issues start agents, and what keeps Skein from reading them. */
export function StartingRepositoryList() {
  return (
    <AutomationCard
      first={FIRST_HOST_START}
      query={useQuery(startingRepositoriesQuery)}
      renderList={(entries) => (
        <StackedTable label="Repositories whose issues start agents" columns={COLUMNS}>
          {entries.map((entry) => (
            <RepositoryRow key={`${entry.workspace} ${entry.codeHost} ${entry.repository}`} entry={entry} />
          ))}
        </StackedTable>
      )}
    />
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
