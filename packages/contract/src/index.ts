export { MODEL_PROVIDERS, type ModelProvider } from './model-providers.ts'
export { InputFormat, ResourceMetadata, type Kind } from './catalog/kind.ts'
export { findKind, findRecordKind, KINDS, type Documents } from './catalog/kinds.ts'
export {
  NETWORKS,
  PROVIDER_TOOLS,
  type NetworkPolicy,
  type ProviderTool,
} from './catalog/kinds/environment.ts'
export { backend, type BackendDocument } from './catalog/kinds/backend.ts'
export { budget, type BudgetDocument } from './catalog/kinds/budget.ts'
export { codeHost, type CodeHostDocument } from './catalog/kinds/code-host.ts'
export { type DirectoryDocument } from './catalog/kinds/directory.ts'
export { identityProvider, type IdentityProviderDocument } from './catalog/kinds/identity-provider.ts'
export { type WorkloadIdentityDocument } from './catalog/kinds/workload-identity.ts'
export { ceiling, type CeilingDocument } from './catalog/kinds/ceiling.ts'
export { integration, type IntegrationDocument } from './catalog/kinds/integration.ts'
export { persona, type PersonaDocument } from './catalog/kinds/persona.ts'
export { BUILD_FEATURES, pool, SANDBOXES, type SandboxName } from './catalog/kinds/pool.ts'
export { MAX_QUOTA, MAX_QUOTA_BYTES, quota, type QuotaDocument } from './catalog/kinds/quota.ts'
export { schedule, type ScheduleDocument } from './catalog/kinds/schedule.ts'
export type { HostStarts } from './catalog/kinds/host-starts.ts'
export { trigger, type TriggerDocument } from './catalog/kinds/trigger.ts'
export { pullRequest, PULL_REQUEST_STATES, type PullRequestDocument } from './catalog/kinds/pull-request.ts'
export { secret, type SecretDocument } from './catalog/kinds/secret.ts'
export { shareLink, type ShareLinkDocument } from './catalog/kinds/share-link.ts'
export { token, type TokenDocument } from './catalog/kinds/token.ts'
export { cacheWriteOf, effectivePrice, type ModelPrice } from './catalog/effective-price.ts'
export { publishedSchema } from './catalog/published-schema.ts'
export { decodeBase64, encodeBase64, encodeBase64Text, isBase64 } from './codecs/base64.ts'
export { cutText } from './codecs/cut-text.ts'
export { formatDuration, isDuration, parseDuration } from './codecs/duration.ts'
export { specified } from './codecs/enum.ts'
export {
  formatFieldMask,
  isKnownPath,
  parseFieldMask,
  type FieldMask,
  type FieldPath,
  type MaskableSchema,
} from './codecs/field-mask.ts'
export { formatInt64, INT64_MAX, INT64_MIN, isInt64, parseInt64 } from './codecs/int64.ts'
export { parseJson, type ParsedJson } from './codecs/json.ts'
export { formatTimestamp, isTimestamp, parseTimestamp } from './codecs/timestamp.ts'
export { CODES, type Code } from './errors/codes.ts'
export { ERROR_DOMAIN, ErrorDetail, ErrorEnvelope, toEnvelope } from './errors/envelope.ts'
export { REASONS, type Reason, type ReasonEntry } from './errors/reasons.ts'
export { SkeinError, type ErrorFacts } from './errors/skein-error.ts'
export { summarizeViolations } from './errors/summarize-violations.ts'
export { generateOpenApi } from './openapi/generate.ts'
export {
  agentStatus,
  killAgent,
  setBudget,
  listAgents,
  spawnAgent,
  SpawnAgentRequest,
  stopTurn,
  waitForAgent,
  watchAgents,
} from './operations/agents.ts'
export {
  Firing,
  FiringOutcome,
  listFirings,
  listSchedules,
  MAX_SCHEDULE_PAGE,
  previewSchedule,
  readSchedule,
  runSchedule,
  ScheduleEntry,
  ScheduleStatus,
} from './operations/automations/schedules.ts'
export { AuditEntry, AuditEvent, exportAudit, listAudit, watchAudit } from './operations/audit.ts'
export {
  deleteResource,
  listKinds,
  listResources,
  readResource,
  Resource,
  resourceHistory,
  ResourceListEntry,
  ResourceVersion,
  writeResource,
  WriteResourceRequest,
  WriteResourceResponse,
} from './operations/catalog.ts'
export { listFleet, summarizeFleet, watchFleet } from './operations/fleet.ts'
export { listBudgets, readUsage } from './operations/usage.ts'
export {
  clearFollowUps,
  listFollowUps,
  queueFollowUp,
  QueueFollowUpRequest,
  removeFollowUp,
} from './operations/follow-ups.ts'
export { getPermissions, whoami } from './operations/identity.ts'
export { int64FieldNames } from './operations/int64-fields.ts'
export {
  BODY_REASONS,
  COMMON_REASONS,
  MUTATION_REASONS,
  reasonsOf,
  type BodyOf,
  type Operation,
  type ParamsOf,
  type QueryOf,
  type ResponseOf,
} from './operations/operation.ts'
export { MAX_PAGE_SIZE } from './operations/paging.ts'
export { SCIM_DISCOVERY, SCIM_OPERATIONS, type ScimOperation } from './operations/scim.ts'
export { OPERATIONS, type OperationId } from './operations/table.ts'
export { TEAM_EFFECTS, type TeamEffect } from './operations/team-effects.ts'
export {
  commentOnDiff,
  listDiffs,
  readDiff,
  recordDiff,
  type CommentOnDiffRequest,
  type ReadDiffRequest,
  type RecordDiffRequest,
} from './operations/diffs.ts'
export {
  AgentPullRequest,
  listFleetPullRequests,
  listPullRequests,
  listStartingRepositories,
  answerThread,
  receiveHostWebhook,
  type AnswerThreadRequest,
} from './operations/code-hosts.ts'
export {
  Assignment,
  completeRun,
  CompleteRunRequest,
  HeartbeatRun,
  heartbeatRuns,
  Leftover,
  listRunners,
  pollRuns,
  Budget,
  RunCommand,
  RunHeartbeat,
  PoolEntry,
  RunnerEntry,
  RunnerOffers,
  mintRepoCredential,
  openPullRequest,
  OpenPullRequestRequest,
  takeLeftovers,
} from './operations/runners.ts'
export {
  createSignInLink,
  endSession,
  listSessions,
  readShare,
  SessionEntry,
  signIn,
  signOut,
} from './operations/sessions.ts'
export { listLeavers, type LeaverEntry } from './operations/leavers.ts'
export {
  createTenant,
  deleteTenant,
  exportTenant,
  listTenants,
  readTenant,
  resumeTenant,
  suspendTenant,
  type TenantEntry,
  type TenantExportLine,
} from './operations/tenants.ts'
export { exchangeToken } from './operations/workloads.ts'
export { decideLogin, findLogin, finishLogin, renewSession, startLogin } from './operations/logins.ts'
export {
  acceptInvitation,
  createInvitation,
  listInvitations,
  readInvitation,
  revokeInvitation,
  type InvitationEntry,
} from './operations/invitations.ts'
export {
  finishAccountLink,
  listLinkedAccounts,
  startAccountLink,
  unlinkAccount,
  type LinkableProvider,
  type LinkedAccount,
} from './operations/account-links.ts'
export { endProviderSessions, finishSignIn, listSignInProviders, startSignIn } from './operations/sign-in.ts'
export { ConfigError } from './facts/read-secret.ts'
export { isSecretSetting, LogLevel, readSettings, secretSetting, TraceEndpoint } from './settings.ts'
export { createTasks, listTasks, updateTasks } from './operations/tasks.ts'
export {
  DeadLetter,
  Delivery,
  IntegrationEntry,
  IntegrationState,
  listDeadLetters,
  listDeliveries,
  listIntegrations,
  readDelivery,
  replayDeliveries,
  testIntegration,
} from './operations/automations/integrations.ts'
export {
  listTriggerDeliveries,
  listTriggers,
  readTriggerDelivery,
  receiveDelivery,
  redeliver,
  testTrigger,
  TriggerDelivery,
  TriggerEntry,
} from './operations/automations/triggers.ts'
export { readTimeline, watchAgent } from './operations/timeline.ts'
export {
  AgentEntry,
  AgentStatus,
  FollowUp,
  Phase,
  Run,
  RunEndReason,
  RunState,
  StopTurnMode,
  WaitReason,
} from './schemas/agent.ts'
export { Diff, DiffFile, MAX_DIFF_BYTES, MAX_DIFF_FILES, MAX_PATH_LENGTH } from './schemas/diff.ts'
export { ERROR_TEXT_LENGTH, FleetChange, FleetEntry, SHORT_TEXT_LENGTH } from './schemas/fleet.ts'
export {
  AgentId,
  AgentIdInput,
  Identity,
  Permissions,
  Provider,
  Role,
  Tenant,
  TenantInput,
} from './schemas/identity.ts'
export { labels, MAX_DESCRIPTION_BYTES, MAX_OUTPUT_SCHEMA_BYTES, type Labels } from './schemas/settings.ts'
export { Task, TaskActivation, TaskInput, TaskStatus, TaskUpdate } from './schemas/task.ts'
export { EVENT_TYPES, MessageOrigin, TimelineEvent, type EventType } from './schemas/timeline.ts'
export { withoutNulls } from './defaults.ts'
export { MAX_VIOLATIONS, validatorFor, type FieldViolation, type Validator } from './validation.ts'
