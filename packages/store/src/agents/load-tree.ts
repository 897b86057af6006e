import type { Documents } from '@skein/contract'
import { agentFromJson, parseDocument, type AgentState } from '@skein/core'
import { toCommandRecord, type CommandRecord } from './command-store.ts'
import type { Query } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import type { FollowUpState } from './tree-rows.ts'

/** What a command needs to read from a tree while holding its lock. */
export interface TreeQuery {
  readonly tenantId: string
  /** The root's key, which locks the tree. */
  readonly tree: string
  readonly commandId: Uint8Array
  /** Older command records are ignored; all of them if it is undefined, because the command was never tried before. */
  readonly notBefore: number | undefined
  /** Keys of the agents to load, the target first. */
  readonly keys: readonly string[]
  /** Looks up the state of the target's message with this id. Empty for a new id, which nothing can have yet. */
  readonly followUpId?: string
}

export interface LoadedTree {
  /** The recorded outcome of an earlier try. */
  readonly earlier: CommandRecord | undefined
  readonly agents: ReadonlyMap<string, AgentState>
  /** The newest message with the given id. */
  readonly followUp: { readonly state: FollowUpState; readonly position: bigint } | undefined
  /** Of all pending messages of the tenant. Only read together with a message. */
  readonly queuedBytes: number
  /** The tenant's own quota, if any. */
  readonly quota: Documents['quota'] | undefined
  /** The tenant's ceiling, if an operator set one. */
  readonly ceiling: Documents['ceiling'] | undefined
}

const load = statement('load_tree', 'select load_tree($1, $2, $3, $4, $5, $6, $7) as loaded', {
  loaded: 'json',
})

export function loadTreeQuery(query: TreeQuery): Query {
  return { statement: load, values: loadTreeValues(query) }
}

/** In the order of the function's parameters. */
export function loadTreeValues(query: TreeQuery): unknown[] {
  return [
    query.tenantId,
    query.tree,
    query.commandId,
    query.notBefore === undefined ? null : new Date(query.notBefore),
    query.keys,
    // Descendants are read as rows, see AgentReader.
    null,
    query.followUpId ?? null,
  ]
}

export function toLoadedTree(row: unknown): LoadedTree {
  const { command, agents, followUp, queuedBytes, quota, ceiling } = readRow(row)
  return {
    earlier: toCommandRecord(command),
    agents: new Map(Object.entries(agents ?? {}).map(([key, state]) => [key, agentFromJson(state)])),
    followUp: followUp ? { state: followUp.state, position: BigInt(followUp.position) } : undefined,
    queuedBytes: queuedBytes ?? 0,
    quota: quota ? parseDocument('quota', 'default', quota) : undefined,
    ceiling: ceiling ? parseDocument('ceiling', 'default', ceiling) : undefined,
  }
}

interface LoadedRow {
  command: unknown
  agents: Record<string, unknown> | null
  followUp: { state: FollowUpState; position: string } | null
  queuedBytes: number | null
  quota: Record<string, unknown> | null
  ceiling: Record<string, unknown> | null
}

function readRow(row: unknown): LoadedRow {
  if (isLoadedRow(row)) return row
  throw new Error('load_tree answers a row')
}

function isLoadedRow(row: unknown): row is LoadedRow {
  return typeof row === 'object' && row !== null && 'followUp' in row
}
