import { useTable, type SortingState } from '@tanstack/react-table'
import { useNavigate } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useMemo, useRef, useState } from 'react'
import { agentLink } from '../../../format/agent-link.ts'
import { formatAgo, formatSpan } from '../../../format/span.ts'
import { useNow } from '../../../ui/time.tsx'
import { usePullRequests } from '../../../agent/pull-requests/use-pull-requests.ts'
import { COLUMNS, COLUMNS_WITHOUT_PULLS, FEATURES } from './columns.ts'
import { FleetLine } from './fleet-line.tsx'
import type { FleetRow } from '../fleet-row.ts'
import type { FleetSearch } from '../fleet-search.ts'
import { HeaderCell } from './header-cell.tsx'
import type { RowMove } from './move-in-rows.ts'
import { RowSlots } from './row-slots.ts'
import { SORT_COLUMNS, readSort, writeSort } from '../sort-items.ts'
import { useChangeSearch } from '../filters/use-change-search.ts'
import { useRowFocus } from './use-row-focus.ts'
import { useScrollMargin } from '../use-scroll-margin.ts'

const ROW_HEIGHT = 44
const HEADER_HEIGHT = 36
const NO_ROWS: readonly FleetRow[] = []

/** The table or tree. Only visible rows are rendered. */
export function FleetGrid({
  rows,
  search,
  collapsed,
  onCollapse,
}: {
  readonly rows: readonly FleetRow[]
  readonly search: FleetSearch
  readonly collapsed: ReadonlySet<string>
  readonly onCollapse: (keys: ReadonlySet<string>) => void
}) {
  const isTree = search.view === 'tree'
  // One clock for all rows: a clock per row would come and go with every scroll.
  const nowMs = useNow()
  const navigate = useNavigate()
  const change = useChangeSearch()
  const frame = useRef<HTMLDivElement>(null)
  const scrollMargin = useScrollMargin(frame) + HEADER_HEIGHT
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoised that depends on its answers
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: 3,
    scrollMargin,
    scrollPaddingStart: HEADER_HEIGHT,
  })
  const drawn = virtualizer.getVirtualItems()
  const first = drawn[0]?.index ?? 0
  const last = drawn.at(-1)?.index ?? -1
  const inSight = useMemo(() => rows.slice(first, last + 1), [rows, first, last])
  const pulls = usePullRequests(useMemo(() => inSight.map(({ item }) => item), [inSight]))
  // Once there is one, the column stays: it must not come and go with every scroll.
  const [hasPulls, setHasPulls] = useState(false)
  if (!hasPulls && pulls.size > 0) setHasPulls(true)

  const sorting = useMemo((): SortingState => {
    const { column, isDescending } = readSort(search.sort)
    return [{ id: column, desc: isDescending }]
  }, [search.sort])
  const table = useTable({
    features: FEATURES,
    columns: hasPulls ? COLUMNS : COLUMNS_WITHOUT_PULLS,
    data: NO_ROWS,
    manualSorting: true,
    enableSortingRemoval: false,
    state: { sorting },
    onSortingChange: (update) => {
      const [next] = typeof update === 'function' ? update(sorting) : update
      const column = SORT_COLUMNS.find((known) => known === next?.id)
      if (next === undefined || column === undefined) return
      change((before) => ({ ...before, sort: writeSort({ column, isDescending: next.desc }) }))
    },
  })

  const scrollToRow = useCallback((index: number) => virtualizer.scrollToIndex(index), [virtualizer])
  const setExpanded = useCallback(
    (key: string, isExpanded: boolean) => {
      const next = new Set(collapsed)
      if (isExpanded) next.delete(key)
      else next.add(key)
      onCollapse(next)
    },
    [collapsed, onCollapse],
  )
  const carryOut = useCallback(
    ({ kind, key }: RowMove) => {
      const row = rows.find(({ item }) => item.key === key)
      if (kind === 'open' && row !== undefined) void navigate(agentLink(row.item.entry.agentId))
      if (isTree && kind !== 'open') setExpanded(key, kind === 'expand')
    },
    [rows, navigate, isTree, setExpanded],
  )
  const { activeKey, setActiveKey } = useRowFocus(frame, rows, { scrollToRow, carryOut })

  // Tab goes to the last active row, or to the first rendered one if that is out of sight.
  const tabKey = inSight.some(({ item }) => item.key === activeKey) ? activeKey : inSight[0]?.item.key
  const [rowSlots] = useState(() => new RowSlots())
  const slots = rowSlots.assign(
    inSight.map(({ item }) => item.key),
    activeKey,
  )
  const above = (drawn[0]?.start ?? scrollMargin) - scrollMargin
  const below = virtualizer.getTotalSize() - ((drawn.at(-1)?.end ?? scrollMargin) - scrollMargin)
  return (
    <div ref={frame} className="rounded-xl border border-line bg-surface">
      <table
        role={isTree ? 'treegrid' : 'table'}
        aria-label={isTree ? 'Agents as a tree' : 'Agents'}
        aria-rowcount={rows.length + 1}
        className="w-full table-fixed [&_.breathe]:animate-none border-separate border-spacing-0 text-sm"
      >
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id} aria-rowindex={1}>
              {group.headers.map((header) => (
                <HeaderCell
                  key={header.id}
                  id={header.column.id}
                  title={String(header.column.columnDef.header)}
                  direction={header.column.getIsSorted()}
                  onSort={header.column.getCanSort() ? () => header.column.toggleSorting() : undefined}
                />
              ))}
            </tr>
          ))}
        </thead>
        <tbody>
          {above > 0 && <Spacer height={above} />}
          {inSight.map((line, index) => (
            <FleetLine
              key={slots[index]}
              line={line}
              index={first + index}
              progress={formatAgo(line.item.entry.progressAt, nowMs)}
              hasPulls={hasPulls}
              pulls={pulls.get(line.item.key)}
              age={formatSpan(nowMs - line.item.createMs)}
              isTree={isTree}
              isTabStop={line.item.key === tabKey}
              onFocus={setActiveKey}
              onExpand={setExpanded}
            />
          ))}
          {below > 0 && <Spacer height={below} />}
        </tbody>
      </table>
    </div>
  )
}

function Spacer({ height }: { readonly height: number }) {
  return <tr aria-hidden style={{ height }} />
}
