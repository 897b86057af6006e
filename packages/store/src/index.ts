export {
  AuditStore,
  type AuditFilter,
  type AuditPlace,
  type AuditRecord,
  type ListedAudit,
} from './audit/audit-store.ts'
export { AuditFeedStore, type AuditHistoryPlace } from './audit/audit-feed-store.ts'
export { checkAuditSeals, countSealedTimes, findAuditedTenants } from './audit/audit-seal-check.ts'
export { AuditSealStore } from './audit/audit-seal-store.ts'
export {
  BrowserSessionStore,
  findBrowserSession,
  findCommandLine,
  type BrowserSessionRecord,
} from './access/browser-session-store.ts'
export type { WantedWork } from './database/take-due.ts'
export { readAutomationTotals, type AutomationTotals } from './automations/read-automation-totals.ts'
export { FiringStore, type Firing, type FiringOutcome } from './automations/schedules/firing-store.ts'
export { ScheduleStore, type ScheduleState } from './automations/schedules/schedule-store.ts'
export { takeDueSchedules, type ClaimedSchedule } from './automations/schedules/take-schedules.ts'
export { OrganizationPinStore } from './access/organization-pin-store.ts'
export { SessionEndStore } from './access/session-end-store.ts'
export {
  PersonGrantStore,
  takeDuePersonGrants,
  type DuePersonGrant,
  type PersonGrantRecord,
} from './access/person-grant-store.ts'
export {
  findSignInProviders,
  PersonStore,
  type Listing,
  type OfferedProvider,
  type PersonRef,
} from './access/person-store.ts'
export {
  DirectoryGroupStore,
  type DirectoryGroup,
  type DirectoryMember,
} from './directories/directory-group-store.ts'
export { DirectoryUserStore, type DirectoryUser } from './directories/directory-user-store.ts'
export {
  LeaverStore,
  takeDueLeavers,
  type HeldLeaver,
  type LeaverRecord,
} from './directories/leaver-store.ts'
export { LoginStore, type LoginRecord, type WaitingLogin } from './access/login-store.ts'
export {
  InvitationMailStore,
  takeDueInvitationMails,
  type HeldInvitationMail,
  type InvitationMail,
} from './access/invitation-mail-store.ts'
export { findInvitation, InvitationStore, type InvitationRecord } from './access/invitation-store.ts'
export { PersonLinkStore, type LinkedPerson } from './access/person-link-store.ts'
export { addSignInLink, dropSignInLinks, takeSignInLink } from './access/sign-in-link-store.ts'
export { chargeSignIn } from './access/sign-in-limit.ts'
export {
  CatalogStore,
  type ResourceRecord,
  type VersionAction,
  type VersionRecord,
} from './catalog/catalog-store.ts'
export {
  findCommandQueries,
  recordCommandQuery,
  toCommandRecord,
  type CommandRecord,
} from './agents/command-store.ts'
export type { DatabaseObserver, DatabaseOptions } from './database/connections.ts'
export { Database, type Query, type Write } from './database/database.ts'
export { Reads, type ReadFrom, type ReadPosition } from './database/replica-reads.ts'
export { replicaProblem, type ReplicaProblem } from './schema/check-replica.ts'
export { DatabaseClock } from './database/database-clock.ts'
export { isConnectionLost, isConnectTimeout } from './database/database-errors.ts'
export { readAppliedSets, readFunctionSet } from './schema/function-set.ts'
export type { KeyRecord } from './access/key-record.ts'
export { TeamStore } from './access/team-store.ts'
export { findKey, findShare, KeyStore, type NewKey, type ShareRecord } from './access/key-store.ts'
export { maintainPartitions, removeExpired, type Expiry, type RetentionDays } from './schema/maintenance.ts'
export { migrate, type MigrateOptions, type MigrationReport } from './schema/migrate.ts'
export { MigrationError, requiredSchemaVersion } from './schema/migration-files.ts'
export { schemaVersion } from './schema/migration-record.ts'
export { prepareServerLogin } from './schema/prepare-server-login.ts'
export { settingsAsSql } from './database/session-settings.ts'
export { NotificationBus, type Listener } from './database/notification-bus.ts'
export { SealedValueStore } from './catalog/sealed-value-store.ts'
export { nextSealedValues, replaceSealedValue, type SealedValue } from './catalog/sealed-values-of-all.ts'
export type { Transaction } from './database/transaction.ts'
export { addPartitions } from './move/move-partitions.ts'
export { missingSegments, returnEvents } from './move/return-events.ts'
export { segmentOfRow, SegmentStore, type NewSegment, type Segment } from './timelines/segment-store.ts'
export { SegmentWork, type OldTimeline } from './timelines/segment-work.ts'
export { together } from './database/together.ts'
export {
  createTenant,
  findAnyTenant,
  findOwnTenant,
  findArrivedAt,
  findResumedAt,
  findAddressedTenantId,
  findTenantId,
} from './access/tenant-store.ts'
export { endDirectoryList, findDirectoryList } from './directories/directory-list.ts'
export {
  closeTenant,
  countLeftovers,
  delayDeletion,
  deleteTenantRow,
  expireLeftovers,
  type HeldLeftovers,
  findLiveTrees,
  noteEmptiedTenant,
  takeClosedTenant,
  type ClosedTenant,
} from './tenant/close-tenant.ts'
export {
  describeTenant,
  findOwnHold,
  findLeavingTenants,
  wasOwnTenantHeld,
  listTenants,
  setSuspended,
  type TenantRecord,
} from './tenant/tenant-directory.ts'
export {
  deleteTenantAgents,
  deleteTenantEvents,
  deleteTenantRows,
  readTenantRows,
  ROWS_AT_ONCE,
  tablesOfTenants,
} from './tenant/tenant-rows.ts'
export {
  AgentReader,
  type ActedEvent,
  type AgentFilter,
  type Message,
  type TimelineSpan,
} from './agents/agent-reader.ts'
export { DiffStore, type DiffRecord, type ListedFile } from './agents/diff-store.ts'
export { FleetFeed, type FeedPosition } from './fleet/fleet-feed.ts'
export { FleetReader, type FleetFilter } from './fleet/fleet-reader.ts'
export { FleetSums } from './fleet/fleet-sums.ts'
export { StatusReader, type PendingRecord, type StatusRecord } from './agents/status-reader.ts'
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
} from './runs/run-queue.ts'
export {
  listOnlinePools,
  listPoolWork,
  listRunners,
  noteRunner,
  readPoolTotals,
  type RunnerNote,
  type PoolTotals,
  type PoolWork,
  type RunnerRecord,
} from './runs/runner-store.ts'
export {
  loadSpawnQuery,
  toLoadedSpawn,
  type SpawnDocuments,
  type SpawnFacts,
  type SpawnPlace,
} from './agents/load-spawn.ts'
export {
  parseRunSurroundings,
  readRunSurroundings,
  type StoredSurroundings,
  type SurroundingNames,
} from './runs/run-surroundings.ts'
export { loadTreeQuery, toLoadedTree, type LoadedTree, type TreeQuery } from './agents/load-tree.ts'
export { projectBeside } from './agents/project.ts'
export type { FollowUpState, RowsBeside } from './agents/tree-rows.ts'
export { writeTreeQueries } from './agents/write-tree.ts'
export type { AgentAudit, TreeTraces } from './agents/tree-write.ts'
export {
  dropLeftovers,
  isBeingRemoved,
  takeLeftovers,
  type ClaimedLeftover,
  type LeftoverScope,
} from './runs/leftover-store.ts'
export {
  DeliveryLog,
  type DeadLetterRecord,
  type DeliveryRecord,
  type Listed,
  type LogPlace,
} from './automations/webhooks/delivery-log.ts'
export {
  EndpointStore,
  takeDueEndpoints,
  type EndpointState,
  type HeldEndpoint,
} from './automations/webhooks/endpoint-store.ts'
export {
  BudgetStore,
  expireReservations,
  listActiveBudgets,
  type BudgetMonth,
  type HeldRun,
  type ReservedCall,
} from './budgets/budget-store.ts'
export { readUsageSums, type UsageSum } from './budgets/usage-reader.ts'
export { takeMailAllowance } from './automations/notifications/mail-allowance.ts'
export { MessageStore, type MessageLane } from './automations/notifications/message-store.ts'
export { TenantEventStore } from './automations/notifications/tenant-event-store.ts'
export {
  LaneStore,
  LIVE,
  sentEventFromJson,
  type DueLane,
  type LaneProgress,
  type LaneRef,
  type NewLane,
  type SentEvent,
} from './automations/webhooks/lane-store.ts'
export { OutboxReader, takeUnreadOutboxes, type OutboxChange } from './automations/webhooks/outbox-reader.ts'
export { takeDueTriggers, TriggerStore, type HeldTrigger } from './automations/triggers/trigger-store.ts'
export {
  TriggerDeliveryStore,
  type AcceptedDelivery,
  type TriggerDeliveryRecord,
} from './automations/triggers/trigger-delivery-store.ts'
export {
  CodeHostCallStore,
  takeDueCodeHostCalls,
  type CodeHostCallRecord,
  type HeldCodeHostCall,
  type NewCodeHostCall,
} from './code-hosts/code-host-call-store.ts'
export {
  PullRequestStore,
  takeDuePullRequests,
  type HeldPullRequest,
  type PullRequestFacts,
  type PullRequestRecord,
} from './code-hosts/pull-request-store.ts'
export {
  HostIssueStore,
  takeDueHostIssues,
  type HeldHostIssue,
  type HostIssueRecord,
  type IssueOfAgent,
  type StartCounts,
} from './code-hosts/host-issue-store.ts'
export {
  HostWatchStore,
  takeDueHostWatches,
  type HeldHostWatch,
  type HostWatchRecord,
} from './code-hosts/host-watch-store.ts'
export { ReviewThreadStore, type ReviewThread } from './code-hosts/review-thread-store.ts'
export { MoveConnection } from './move/move-connection.ts'
export {
  activateArrived,
  addArriving,
  beginMove,
  cancelLeaving,
  closeArriving,
  countHeld,
  describeCell,
  findMovingTenants,
  isSameDatabase,
  lockMove,
  movedKeys,
  takeStep,
  type LeavingStep,
  type MovingTenant,
} from './move/move-record.ts'
export { findMoveTables, isCopiedByRow, lowerFence, raiseFence, type MoveTable } from './move/move-tables.ts'
export {
  compareTable,
  readHorizon,
  removeRows,
  sealedRows,
  syncChanges,
  syncTable,
  type Horizon,
  type MovedRow,
  type SyncOptions,
} from './move/sync-table.ts'
export { copyOutbox, digestOutbox } from './move/move-outbox.ts'
export { lastSeal, lastSecret } from './move/last-sealed.ts'
export {
  addSeal,
  holdSealedTimes,
  readSealedTimes,
  readSeals,
  removeSeals,
  sumEntries,
} from './move/move-audit.ts'
