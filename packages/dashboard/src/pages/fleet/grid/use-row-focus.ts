import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import type { FleetRow } from '../fleet-row.ts'
import { isTypingTarget } from '../../../ui/is-typing-target.ts'
import { moveInRows, type RowMove } from './move-in-rows.ts'

interface RowFocus {
  readonly activeKey: string | undefined
  readonly setActiveKey: (key: string) => void
}

interface RowActions {
  readonly scrollToRow: (index: number) => void
  /** Handles keys that don't move the focus. */
  readonly carryOut: (move: RowMove) => void
}

/**
 * Moves the focus over rows that are mostly not rendered, by scrolling to them first. `j` and `k` work everywhere.
 */
export function useRowFocus(
  frame: RefObject<HTMLElement | null>,
  rows: readonly FleetRow[],
  { scrollToRow, carryOut }: RowActions,
): RowFocus {
  const [activeKey, setActiveKey] = useState<string>()
  const wanted = useRef<string | undefined>(undefined)

  // On every render: the wanted row may appear a few renders after scrolling.
  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    const row = frame.current?.querySelector<HTMLElement>(`[data-row-focus="${CSS.escape(wanted.current)}"]`)
    if (row === undefined || row === null) return
    wanted.current = undefined
    row.focus({ preventScroll: true })
  })

  const press = useCallback(
    (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
      if (isTypingTarget(event.target) || !isMeantForRows(event, frame.current)) return
      const move = moveInRows(rows, activeKey, event.key)
      if (move === undefined) return
      event.preventDefault()
      if (move.kind !== 'focus') {
        carryOut(move)
        return
      }
      wanted.current = move.key
      setActiveKey(move.key)
      const index = rows.findIndex(({ item }) => item.key === move.key)
      if (index !== -1) scrollToRow(index)
    },
    [frame, rows, activeKey, scrollToRow, carryOut],
  )
  useEffect(() => {
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [press])

  return { activeKey, setActiveKey }
}

function isMeantForRows({ key, target }: KeyboardEvent, frame: HTMLElement | null): boolean {
  if (key === 'j' || key === 'k') return true
  if (!(target instanceof HTMLElement) || frame?.contains(target) !== true) return false
  // Links and buttons handle Enter themselves.
  return (
    target.dataset['rowFocus'] !== undefined && (key !== 'Enter' || target instanceof HTMLTableRowElement)
  )
}
