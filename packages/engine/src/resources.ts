import type { TimelineEvent } from '@skein/contract'
import type { Ceiling, ListedAgent } from '@skein/core'
import type { ClaimedRun, Database, Reads, StatusReader } from '@skein/store'
import type { ChangeFeed } from './agents/change-feed.ts'
import type { SharedReads } from './shared-reads.ts'
import type { OnlinePools } from './runs/online-pools.ts'
import type { RunnerNotes } from './runs/runner-notes.ts'
import type { SharedClaims } from './runs/shared-claims.ts'
import type { IdentityProviders } from './people/identity-providers.ts'
import type { EngineEvents } from './engine-events.ts'
import type { KeyedMutex } from './commands/keyed-mutex.ts'
import type { RunPlaces } from './commands/run-places.ts'
import type { SchemaChecker } from './schemas/schema-checker.ts'
import type { TriggerRules } from './automations/triggers/trigger-rules.ts'
import type { TeamDirectory } from './access/team-directory.ts'
import type { AuditFeed } from './audit/audit-feed.ts'
import type { AuditTrail } from './audit/audit-trail.ts'
import type { SegmentObjects } from './timelines/segment-objects.ts'
import type { Vault } from './vault.ts'
import type { Wakeups } from './wakeups.ts'

/** Shared by all parts of the engine. Time and randomness come in here, so that tests can set them. */
export interface EngineResources {
  readonly database: Database
  /** For reads that may be a little late. */
  readonly reads: Reads
  readonly vault: Vault
  /** Old events, outside of the database. */
  readonly segments: SegmentObjects
  /** The database's time as this server knows it, so that all servers agree. */
  readonly clock: {
    now(): number
    /** How far the machine's clock is ahead of the database's. */
    readonly skewMs?: number
  }
  readonly random: { bytes(length: number): Uint8Array }
  /** The prefix of every key id, so that an edge can route requests to the tenant's cell. */
  readonly cell: string
  readonly wakeups: Wakeups
  readonly teams: TeamDirectory
  /** For metrics. */
  readonly events: EngineEvents
  /** Records events that are not part of a change. */
  readonly auditTrail: AuditTrail
  readonly statusReader: StatusReader
  readonly onlinePools: OnlinePools
  readonly runnerNotes: RunnerNotes
  /** One read per list, shared by all its watchers. */
  readonly sharedLists: SharedReads<ListedAgent[]>
  /** Likewise for the end of a timeline. */
  readonly sharedTimelines: SharedReads<{ events: TimelineEvent[] }>
  /** Changes in a tenant, shared by all its watchers. */
  readonly changeFeed: ChangeFeed
  /** Likewise for the audit log. */
  readonly auditFeed: AuditFeed
  /** Per tenant, for claiming runs. */
  readonly claimMutex: KeyedMutex
  readonly sharedClaims: SharedClaims<ClaimedRun>
  /** Per tree, for changing it. */
  readonly treeMutex: KeyedMutex
  readonly runPlaces: RunPlaces
  /** Checks output schemas before a transaction starts. */
  readonly schemas: SchemaChecker
  /** Evaluates conditions and templates of triggers, in a process with limits. */
  readonly triggerRules: TriggerRules
  /** Where people sign in. */
  readonly identityProviders: IdentityProviders
  /** The organization that the sign-in page offers unless another is asked for; may be empty. */
  readonly signInOrg: string
  /** Base URL of the dashboard. */
  readonly publicUrl: string
  /** For tenants without their own. */
  readonly ceiling: Ceiling
  /** Per address and per key, across all servers; 0 means no limit. */
  readonly signInsPerMinute: number
  /** How long a runner may be silent before its run goes to another. */
  readonly leaseMs: number
  /** How long an agent can be resumed after its end. */
  readonly sessionRetentionMs: number
}

/** For requests that keep runs alive: they don't queue behind callers' requests. */
export function urgently(engine: EngineResources): EngineResources {
  return { ...engine, database: engine.database.urgent }
}
