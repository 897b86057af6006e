import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import { usePullRequests } from '../../agent/pull-requests/use-pull-requests.ts'
import { FleetCard } from './fleet-card.tsx'
import type { FleetRow } from './fleet-row.ts'
import { useScrollMargin } from './use-scroll-margin.ts'

const CARD_HEIGHT = 104
const GAP = 8

/** The same rows as cards, for narrow screens. */
export function FleetCards({
  rows,
  isTree,
}: {
  readonly rows: readonly FleetRow[]
  readonly isTree: boolean
}) {
  const list = useRef<HTMLUListElement>(null)
  const scrollMargin = useScrollMargin(list)
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoised
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => CARD_HEIGHT,
    gap: GAP,
    overscan: 6,
    scrollMargin,
  })
  const drawn = virtualizer.getVirtualItems()
  const first = drawn[0]?.index ?? 0
  const last = drawn.at(-1)?.index ?? -1
  const inSight = useMemo(() => rows.slice(first, last + 1).map(({ item }) => item), [rows, first, last])
  const pulls = usePullRequests(inSight)
  return (
    <ul ref={list} aria-label="Agents" className="relative" style={{ height: virtualizer.getTotalSize() }}>
      {drawn.map(({ index, start }) => {
        const row = rows[index]
        return (
          row !== undefined && (
            <li
              key={row.item.key}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0"
              style={{
                height: CARD_HEIGHT,
                top: start - scrollMargin,
                ...(isTree && { paddingLeft: `${Math.min(row.level - 1, 4) * 0.75}rem` }),
              }}
            >
              <FleetCard row={row} pulls={pulls.get(row.item.key)} />
            </li>
          )
        )
      })}
    </ul>
  )
}
