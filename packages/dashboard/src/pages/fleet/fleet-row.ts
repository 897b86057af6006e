import type { FleetItem } from '../../live/fleet-item.ts'

/** One line of the table or of the tree. */
export interface FleetRow {
  readonly item: FleetItem
  /** What the line is called: below its parent an agent needs only its own name. */
  readonly name: string
  /** 1 for a root. */
  readonly level: number
  readonly position: number
  readonly siblings: number
  readonly children: number
  readonly isExpanded: boolean
  /** False: it is only here because a descendant matches. */
  readonly isMatch: boolean
}

export function isSameRow(left: FleetRow, right: FleetRow): boolean {
  return (
    left.item === right.item &&
    left.name === right.name &&
    left.level === right.level &&
    left.position === right.position &&
    left.siblings === right.siblings &&
    left.children === right.children &&
    left.isExpanded === right.isExpanded &&
    left.isMatch === right.isMatch
  )
}
