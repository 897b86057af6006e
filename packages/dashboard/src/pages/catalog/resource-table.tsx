import type { Resource } from '@skein/client'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { readTeam } from '../../catalog/team-names.ts'
import { Button } from '../../ui/button.tsx'
import { TableHead } from '../../ui/table-head.tsx'
import { Ago } from '../../ui/time.tsx'
import { readDescription } from './filter-resources.ts'
import { readAuthorship } from './editor/held-text.ts'

/** More rows at once make a browser slow. The filter is faster. */
const STEP = 200

const COLUMNS = [
  { title: 'Name' },
  { title: 'Description', className: 'max-sm:hidden' },
  { title: 'Generation' },
  { title: 'Updated', className: 'max-sm:hidden' },
]

export function ResourceTable({
  kind,
  resources,
}: {
  readonly kind: string
  readonly resources: readonly Resource[]
}) {
  const [limit, setLimit] = useState(STEP)
  return (
    <>
      <table className="w-full text-left text-sm">
        <TableHead columns={COLUMNS} />
        <tbody className="divide-y divide-line">
          {resources.slice(0, limit).map((resource) => (
            <ResourceRow key={resource.name} kind={kind} resource={resource} />
          ))}
        </tbody>
      </table>
      {resources.length > limit && (
        <div className="border-t border-line p-3 text-center">
          <Button onClick={() => setLimit(limit + STEP)}>
            Show more of {resources.length.toLocaleString('en')}
          </Button>
        </div>
      )}
    </>
  )
}

function ResourceRow({ kind, resource }: { readonly kind: string; readonly resource: Resource }) {
  const { name, generation, isBuiltIn } = resource
  const { updatedBy, updateTime } = readAuthorship(resource)
  const team = kind === 'workspace' ? readTeam(resource) : ''
  return (
    <tr className="hover:bg-raised">
      <th scope="row" className="max-w-56 px-4 py-2.5 font-medium">
        <Link
          to="/catalog/$kind/$name"
          params={{ kind, name }}
          title={name}
          className="block truncate text-accent-text hover:underline"
        >
          {name}
        </Link>
        {team !== '' && <span className="block truncate text-xs font-normal text-muted">team {team}</span>}
      </th>
      <td className="max-w-md px-4 py-2.5 text-muted max-sm:hidden">
        <span className="block truncate" title={readDescription(resource)}>
          {readDescription(resource)}
        </span>
      </td>
      <td className="px-4 py-2.5 whitespace-nowrap tabular-nums">{isBuiltIn ? 'built-in' : generation}</td>
      <td className="px-4 py-2.5 whitespace-nowrap text-muted max-sm:hidden">
        <Ago time={updateTime} />
        {updatedBy !== '' && ` by ${updatedBy}`}
      </td>
    </tr>
  )
}
