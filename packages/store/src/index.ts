export {
  AuditStore,
  type AuditFilter,
  type AuditPlace,
  type AuditRecord,
  type ListedAudit,
} from './audit-store.ts'
export {
  BrowserSessionStore,
  findBrowserSession,
  type BrowserSessionRecord,
} from './browser-session-store.ts'
export { addSignInLink, takeSignInLink } from './sign-in-link-store.ts'
export { chargeSignIn } from './sign-in-limit.ts'
export { CatalogStore, type ResourceRecord, type VersionAction, type VersionRecord } from './catalog-store.ts'
export {
  findCommandQueries,
  recordCommandQuery,
  toCommandRecord,
  type CommandRecord,
} from './command-store.ts'
export type { DatabaseObserver, DatabaseOptions } from './connections.ts'
export { Database, type Query } from './database.ts'
export { DatabaseClock } from './database-clock.ts'
export { isConnectionLost } from './database-errors.ts'
export { readAppliedSets, readFunctionSet } from './function-set.ts'
export type { KeyRecord } from './key-record.ts'
export { findKey, findShare, KeyStore, type NewKey, type ShareRecord } from './key-store.ts'
export { maintainPartitions, type RetentionDays } from './maintenance.ts'
export { migrate, type MigrateOptions, type MigrationReport } from './migrate.ts'
export { MigrationError, requiredSchemaVersion } from './migration-files.ts'
export { schemaVersion } from './migration-record.ts'
export { NotificationBus, type Listener } from './notification-bus.ts'
export { SealedValueStore } from './sealed-value-store.ts'
export { nextSealedValues, replaceSealedValue, type SealedValue } from './sealed-values-of-all.ts'
export { serverRoleProblem } from './server-role.ts'
export type { Session } from './session.ts'
export { createTenant, findOwnTenant, findTenantId } from './tenant-store.ts'
export { AgentReader, type ActedEvent, type AgentFilter, type TimelineSpan } from './agent-reader.ts'
export { FleetFeed, type FeedPosition } from './fleet-feed.ts'
export { FleetReader, type FleetFilter } from './fleet-reader.ts'
export { FleetSums } from './fleet-sums.ts'
export { StatusReader, type PendingRecord, type StatusRecord } from './status-reader.ts'
export {
  agentsChangedSince,
  claimRuns,
  leaseHolder,
  poolsWithRetries,
  releaseRun,
  takeDueTimers,
  takeExpiredLeases,
  touchLeases,
  type Claim,
  type ClaimedRun,
  type DueTimer,
  type LeaseRef,
} from './run-queue.ts'
export {
  listOnlinePools,
  listPoolWork,
  listRunners,
  noteRunner,
  type RunnerNote,
  type PoolWork,
  type RunnerRecord,
} from './runner-store.ts'
export { readRunSurroundings } from './run-surroundings.ts'
export { loadTreeQuery, toLoadedTree, type LoadedTree, type TreeQuery } from './agents/load-tree.ts'
export { projectBeside } from './agents/project.ts'
export type { FollowUpState, RowsBeside } from './agents/tree-rows.ts'
export { writeTreeQuery, type AgentAudit } from './agents/write-tree.ts'
export {
  dropLeftovers,
  isBeingRemoved,
  takeLeftovers,
  type ClaimedLeftover,
  type LeftoverScope,
} from './leftover-store.ts'
