import { agentFromJson, type AgentState } from '@skein/core'
import { toCommandRecord, type CommandRecord } from './command-store.ts'
import type { Statement } from './statement.ts'
import { statement } from './statement.ts'

/** What a command needs to see of a tree, after it holds the tree's lock. */
export interface TreeQuery {
  readonly tenantId: string
  /** The key of the root: what the tree is locked by. */
  readonly tree: string
  readonly commandId: Uint8Array
  /** Answers to commands from before this are forgotten. */
  readonly notBefore: number
  /** Keys of the agents to load, the target first. */
  readonly keys: readonly string[]
  /** Loads every agent below this one too. */
  readonly below?: string
  /** Looks up what became of the target's message of this id. */
  readonly followUpId?: string
}

export interface LoadedTree {
  /** What an earlier try of the same command was told. */
  readonly earlier: CommandRecord | undefined
  readonly agents: ReadonlyMap<string, AgentState>
  readonly below: readonly AgentState[]
  /** The newest message of the id that was asked about. */
  readonly followUp: { readonly state: string; readonly position: bigint } | undefined
  /** Of all messages of the tenant that wait, where a message is asked about. */
  readonly queuedBytes: number
  /** The tenant's own quota document, where it has one. */
  readonly quota: Readonly<Record<string, unknown>> | undefined
  /** The ceiling that an operator has given it, where there is one. */
  readonly ceiling: Readonly<Record<string, unknown>> | undefined
}

const load = statement('load_tree', 'select load_tree($1, $2, $3, $4, $5, $6, $7) as loaded', {
  loaded: 'json',
})
const write = statement(
  'write_changes',
  `select write_changes($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16),
     write_audit($1, $2, $17), count_queued_bytes($1, $18)`,
)

export function loadTreeQuery(query: TreeQuery): { statement: Statement; values: unknown[] } {
  return {
    statement: load,
    values: [
      query.tenantId,
      query.tree,
      query.commandId,
      new Date(query.notBefore),
      query.keys,
      query.below ?? null,
      query.followUpId ?? null,
    ],
  }
}

export function toLoadedTree(row: unknown): LoadedTree {
  const { command, agents, below, followUp, queuedBytes, quota, ceiling } = readRow(row)
  return {
    earlier: toCommandRecord(command),
    agents: new Map(Object.entries(agents ?? {}).map(([key, state]) => [key, agentFromJson(state)])),
    below: (below ?? []).map(agentFromJson),
    followUp: followUp ? { state: followUp.state, position: BigInt(followUp.position) } : undefined,
    queuedBytes: queuedBytes ?? 0,
    quota: quota ?? undefined,
    ceiling: ceiling ?? undefined,
  }
}

interface LoadedRow {
  command: unknown
  agents: Record<string, unknown> | null
  below: unknown[] | null
  followUp: { state: string; position: string } | null
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

/** Rows to write, by table. A part that is absent touches nothing. */
export interface TreeChanges {
  readonly actor: string
  readonly agents: readonly AgentRow[]
  readonly events: readonly { agentId: string; sequence: string; event: unknown }[]
  readonly newFollowUps?: readonly {
    agentId: string
    followUpId: string
    state: string
    body: unknown
    position: string
  }[]
  readonly followUps?: readonly {
    agentId: string
    followUpId: string
    state: string
    runId?: string
    position?: string
  }[]
  readonly queuedRuns?: readonly {
    agentId: string
    agentKey: string
    rootKey: string
    pool: string
    runId: string
    attempt: number
    availableAt: string
    /** Whether the agent had no other run before, so that nobody can hold a lease for it. */
    isNew: boolean
  }[]
  readonly endedRuns?: readonly string[]
  readonly newTimers?: readonly {
    agentId: string
    followUpId: string
    agentKey: string
    rootKey: string
    dueAt: string
  }[]
  readonly endedTimers?: readonly { agentId: string; followUpId: string }[]
  readonly fleet: FleetTally | Readonly<Record<string, never>>
  /** Who did it, for the audit. */
  readonly audit?: {
    readonly id: string
    readonly operation: string
    /** The agent. */
    readonly name: string
    readonly ownerProvider: string
    readonly account: string
    readonly role: string
    readonly token: string
    readonly justification: string
    readonly requestId: string
  }
  /** How many more agents are alive. */
  readonly liveDelta?: number
  /** How many more bytes of messages wait. */
  readonly queuedBytesDelta?: number
  /** Its record, for whoever tries it again. */
  readonly command: {
    readonly id: Uint8Array
    readonly requestSha256: Uint8Array
    readonly answer: unknown
  }
}

/** What a command changes in the sums of its tree's workspace and owner. */
interface FleetTally {
  readonly workspace: string
  readonly ownerProvider: string
  readonly account: string
  readonly counts?: Readonly<Record<'pending' | 'running' | 'waiting' | 'asking', number>>
  /** In the order of their hours, in which every command writes them. */
  readonly hours?: readonly FleetHour[]
}

export interface FleetHour extends Readonly<Record<'completed' | 'failed' | 'canceled', number>> {
  readonly hour: string
  readonly costMicros: string
  readonly inputTokens: string
  readonly cachedInputTokens: string
  readonly outputTokens: string
}

interface AgentRow {
  readonly id: string
  readonly key: string
  readonly rootKey: string
  readonly parentKey: string
  readonly ownerProvider: string
  readonly account: string
  readonly workspace: string
  readonly pool: string
  readonly phase: string
  readonly isTerminal: boolean
  /** Whether it has ended and runners may keep something of it. */
  readonly leaves: boolean
  readonly labels: Readonly<Record<string, string>>
  readonly costMicros: string
  readonly state: unknown
  readonly createdAt: string
  /** Of the events that this command adds. */
  readonly firstSequence: string
  readonly lastSequence: string
}

export function writeTreeQuery(
  tenantId: string,
  at: number,
  changes: TreeChanges,
): { statement: Statement; values: unknown[] } {
  return {
    statement: write,
    values: [
      tenantId,
      new Date(at),
      changes.actor,
      JSON.stringify(changes.agents),
      JSON.stringify(changes.events),
      JSON.stringify(changes.fleet),
      ...[changes.newFollowUps, changes.followUps, changes.queuedRuns].map(jsonOrNull),
      changes.endedRuns ?? null,
      ...[changes.newTimers, changes.endedTimers].map(jsonOrNull),
      changes.liveDelta ?? null,
      changes.command.id,
      changes.command.requestSha256,
      JSON.stringify(changes.command.answer),
      changes.audit ? JSON.stringify(changes.audit) : null,
      changes.queuedBytesDelta ?? null,
    ],
  }
}

function jsonOrNull(rows: readonly unknown[] | undefined): string | null {
  return rows === undefined ? null : JSON.stringify(rows)
}
