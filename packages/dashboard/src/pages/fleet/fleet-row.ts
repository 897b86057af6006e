import type { FleetItem } from '../../live/fleet-item.ts'

/** One row of the table or tree. */
export interface FleetRow {
  readonly item: FleetItem
  /** The displayed name: below its parent, an agent's own name is enough. */
  readonly name: string
  /** 1 for a root. */
  readonly level: number
  readonly position: number
  readonly siblings: number
  readonly children: number
  readonly isExpanded: boolean
  /** False if it is shown only because a descendant matches. */
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
