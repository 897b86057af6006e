import { Link } from '@tanstack/react-router'
import type { AutomationTab } from './automations-search.ts'

/** The first cell of a row: the name leads to the automation's page. */
export function NameCell({
  tab,
  name,
  detail,
}: {
  readonly tab: AutomationTab
  readonly name: string
  readonly detail: string
}) {
  return (
    <th scope="row" className="px-4 py-2.5 font-medium max-md:w-full md:max-w-64">
      <Link
        to={`/automations/${tab}/$name`}
        params={{ name }}
        title={name}
        className="block truncate text-accent-text hover:underline"
      >
        {name}
      </Link>
      <span className="block truncate text-xs font-normal text-muted" title={detail}>
        {detail}
      </span>
    </th>
  )
}
