import type { FleetRow } from '../fleet-row.ts'

export type RowMove =
  | { readonly kind: 'focus'; readonly key: string }
  | { readonly kind: 'expand' | 'collapse'; readonly key: string }
  | { readonly kind: 'open'; readonly key: string }

/** What a key does in the table or, with the left and right arrows, in the tree. */
export function moveInRows(
  rows: readonly FleetRow[],
  activeKey: string | undefined,
  pressed: string,
): RowMove | undefined {
  const index = rows.findIndex(({ item }) => item.key === activeKey)
  const row = rows[index]
  const focus = (at: number): RowMove | undefined => {
    const target = rows[Math.min(Math.max(at, 0), rows.length - 1)]
    return target === undefined ? undefined : { kind: 'focus', key: target.item.key }
  }
  switch (pressed) {
    case 'ArrowDown':
    case 'j':
      return focus(index + 1)
    case 'ArrowUp':
    case 'k':
      return focus(index - 1)
    case 'Home':
      return focus(0)
    case 'End':
      return focus(rows.length - 1)
    case 'ArrowRight':
      if (row === undefined || row.children === 0) return undefined
      return row.isExpanded ? focus(index + 1) : { kind: 'expand', key: row.item.key }
    case 'ArrowLeft':
      if (row === undefined) return undefined
      if (row.isExpanded) return { kind: 'collapse', key: row.item.key }
      return row.level > 1 ? { kind: 'focus', key: row.item.parentKey } : undefined
    case 'Enter':
      return row === undefined ? undefined : { kind: 'open', key: row.item.key }
    default:
      return undefined
  }
}
