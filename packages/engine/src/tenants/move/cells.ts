import type { MoveConnection } from '@skein/store'
import type { Vault } from '../../vault.ts'

/** One side of a move. */
export interface Cell {
  /** As in its keys. */
  readonly name: string
  readonly connection: MoveConnection
  readonly vault: Vault
}

export interface Cells {
  readonly source: Cell
  readonly target: Cell
}

export function connectionsOf({ source, target }: Cells): { source: MoveConnection; target: MoveConnection } {
  return { source: source.connection, target: target.connection }
}
