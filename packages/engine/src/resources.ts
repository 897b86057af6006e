import type { TimelineEvent } from '@skein/contract'
import type { AgentState, Ceiling } from '@skein/core'
import type { Database, StatusReader } from '@skein/store'
import type { ChangeFeed } from './agents/change-feed.ts'
import type { SharedReads } from './agents/shared-reads.ts'
import type { OnlinePools } from './runs/online-pools.ts'
import type { KeyedMutex } from './commands/keyed-mutex.ts'
import type { SchemaChecker } from './schemas/schema-checker.ts'
import type { AuditTrail } from './audit/audit-trail.ts'
import type { Vault } from './vault.ts'
import type { Wakeups } from './wakeups.ts'

/** What every part of the engine works with. Time and chance come in here, so that tests can set them. */
export interface EngineResources {
  readonly database: Database
  readonly vault: Vault
  /** The database's time, as far as this server knows it: the same for every server. */
  readonly clock: {
    now(): number
    /** How far the machine's own clock is ahead of it. */
    readonly skewMs?: number
  }
  readonly random: { bytes(length: number): Uint8Array }
  /** Begins every key id, so that an edge can route a request to the cell its tenant lives in. */
  readonly cell: string
  readonly wakeups: Wakeups
  /** For what is audited without being part of a change. */
  readonly auditTrail: AuditTrail
  readonly statusReader: StatusReader
  readonly onlinePools: OnlinePools
  /** A list of agents is read once for all who watch it, not once for each. */
  readonly sharedLists: SharedReads<AgentState[]>
  /** So is the end of a timeline. */
  readonly sharedTimelines: SharedReads<{ events: TimelineEvent[] }>
  /** What changes in a tenant, for all who follow it. */
  readonly changeFeed: ChangeFeed
  /** By tenant, for whoever claims runs. */
  readonly claimMutex: KeyedMutex
  /** By tree, for whoever changes one. */
  readonly treeMutex: KeyedMutex
  /** Output schemas are checked here, before a transaction begins. */
  readonly schemas: SchemaChecker
  /** Where people reach the dashboard. */
  readonly publicUrl: string
  /** For tenants without one of their own. */
  readonly ceiling: Ceiling
  /** From one address, and with one key, on all servers together; 0 means no limit. */
  readonly signInsPerMinute: number
  /** How long a runner may be silent before its run goes to another. */
  readonly leaseMs: number
  /** How long an agent can be continued after its end. */
  readonly sessionRetentionMs: number
}

/** The same, for what keeps runs alive: it does not wait behind what callers ask for. */
export function urgently(engine: EngineResources): EngineResources {
  return { ...engine, database: engine.database.urgent }
}
