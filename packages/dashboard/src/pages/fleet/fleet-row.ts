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

/** Whether two objects of one type have the same values. */
export function hasSameFields<Fields extends object>(left: Fields, right: Fields): boolean {
  return Object.entries(left).every(([key, value]) => Reflect.get(right, key) === value)
}
