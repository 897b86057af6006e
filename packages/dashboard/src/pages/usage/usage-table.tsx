import type { ReadUsageResponse } from '@skein/client'
import { withTeam } from '../../catalog/team-names.ts'
import { formatCount, formatMoney } from '../../format/money.ts'
import { STACKED_ROW, StackedTable } from '../../ui/stacked-table.tsx'

const RIGHT = { className: 'text-right' } as const
const COUNTS = [
  ['cost', 'Cost'],
  ['inputTokens', 'Tokens in'],
  ['cachedInputTokens', 'Cached'],
  ['outputTokens', 'Tokens out'],
] as const

/** The same figures as the plot, with tokens. */
export function UsageTable({
  by,
  teams,
  usage: { groups, others, otherGroups, total },
}: {
  readonly by: string
  /** Of workspaces. */
  readonly teams: ReadonlyMap<string, string>
  readonly usage: ReadUsageResponse
}) {
  const nameOf = (name: string) => (by === 'workspace' ? withTeam(name, teams) : name)
  const rows = [
    ...groups.map((group) => ({
      ...group,
      key: `group ${group.name}`,
      name: group.name === '' ? 'none' : nameOf(group.name),
    })),
    ...(others ? [{ ...others, key: 'others', name: `${otherGroups} others` }] : []),
    { ...total, key: 'total', name: 'Total' },
  ]
  const columns = [{ title: by }, ...COUNTS.map(([, title]) => ({ title, ...RIGHT }))]
  return (
    <StackedTable label="Cost and tokens of each group" columns={columns}>
      {rows.map(({ key, name, ...counts }) => (
        <tr key={key} className={STACKED_ROW}>
          <th scope="row" className="px-4 py-2 text-left font-medium break-all max-md:w-full">
            {name}
          </th>
          {COUNTS.map(([field, title]) => (
            <td key={field} className="px-4 py-2 text-right tabular-nums">
              <span className="text-xs text-muted md:sr-only">{title} </span>
              {field === 'cost' ? formatMoney(counts.cost) : formatCount(counts[field])}
            </td>
          ))}
        </tr>
      ))}
    </StackedTable>
  )
}
