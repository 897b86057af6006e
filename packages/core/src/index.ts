export { addressBlock, addressNetwork } from './access/address-block.ts'
export {
  agentNotFound,
  isInReach,
  isVisible,
  requireBudgetSetter,
  requireDriver,
  requireVisible,
} from './access/agent-access.ts'
export type { Caller, CallerTeams } from './access/caller.ts'
export { requireGrantable } from './catalog/grants.ts'
export { decideLink } from './people/account-links.ts'
export { isIdentifier } from './people/claims.ts'
export { vouchedGroups, type VouchedGroups } from './people/organizations.ts'
export { decidePerson, endsSessions, isOtherHost } from './people/person.ts'
export {
  changesListing,
  decideListed,
  directoryValue,
  groupsWithRole,
  listedValue,
  teamsByGroup,
  type ListedDecision,
  type TeamByGroup,
} from './people/listed-person.ts'
export { ScimError } from './directories/scim-error.ts'
export { parseScimFilter, type ScimCondition } from './directories/scim-filter.ts'
export { patchGroup, readGroup, type MembersChange, type ScimGroup } from './directories/scim-group.ts'
export { patchUser, readUser, type ScimUser } from './directories/scim-user.ts'
export { unmetCondition } from './people/workload.ts'
export {
  chooseTenant,
  fillTenant,
  isAllowed,
  isGrantable,
  requireJustification,
  requireJustificationAcross,
  requirePermission,
  type TenantChoice,
} from './access/policy.ts'
export { poolsOf } from './access/runner-pools.ts'
export {
  nameOfTenant,
  removalStage,
  requireConfirmation,
  requireNamedProvider,
  requireOpenTenant,
  requireOtherTenant,
  tenantStateOf,
  refuseHeld,
  refuseMoving,
} from './access/tenants.ts'
export { hasArrived, mapKeyOfTenant } from './access/tenant-moves.ts'
export {
  accessTo,
  listedWorkspaces,
  permissionsByWorkspace,
  seesWorkspace,
  whereToLook,
  type Viewer,
} from './access/teams.ts'
export { seesResource } from './catalog/seen-resources.ts'
export { teamMembers, type TeamMember } from './catalog/team-members.ts'
export {
  AuditChainCheck,
  auditSpans,
  nextAuditSpan,
  sealedText,
  type AuditSeal,
  type FoundSeal,
  type TimeSpan,
} from './audit/audit-chain.ts'
export {
  bounded,
  formatSnapshot,
  isFull,
  parseSnapshot,
  progressAfter,
  type AuditProgress,
  type CommittedPlace,
  type TransactionSnapshot,
} from './audit/audit-progress.ts'
export { formatInvitation } from './automations/notifications/invitation-mail.ts'
export { countedSince } from './automations/counted-since.ts'
export { commandRetryTime } from './automations/retry-command.ts'
export { dueFirings, type CatchUp, type DueFirings } from './automations/schedules/due-firings.ts'
export { agentNameOf, followUpIdOf, TIME_PLACEHOLDER } from './automations/schedules/firing-names.ts'
export {
  decideSendOverlap,
  decideSpawnOverlap,
  MAX_WAITING_FIRINGS,
  type OverlapDecision,
} from './automations/schedules/overlap.ts'
export {
  ScheduleTiming,
  type FiringTime,
  type TimingFields,
} from './automations/schedules/schedule-timing.ts'
export { timingViolations } from './automations/schedules/timing-violations.ts'
export { parseGitLabEvent } from './code-hosts/reviews/gitlab-event.ts'
export { parseHostEvent, type HostEvent } from './code-hosts/reviews/host-event.ts'
export {
  authorsToCheck,
  composeAnswer,
  hasAnswer,
  isOwnText,
  type Conversation,
  type HostCheck,
  type HostComment,
  type HostPermission,
  type HostThread,
  type ThreadPlace,
} from './code-hosts/reviews/conversation.ts'
export { REVIEW_LIMITS } from './code-hosts/reviews/limits.ts'
export {
  commentMark,
  planRound,
  type RoundDecision,
  type ThreadNews,
} from './code-hosts/reviews/plan-round.ts'
export { parseThreadName, threadName } from './code-hosts/reviews/review-message.ts'
export {
  beginEnd,
  beginRound,
  endSending,
  nextRestCheck,
  nextRetry,
  watchAgain,
} from './code-hosts/reviews/review-steps.ts'
export { NEW_REVIEW, type ReviewState } from './code-hosts/reviews/review-state.ts'
export {
  findRequests,
  mayHaveEvents,
  mayStart,
  noteSeen,
  peopleToCheck,
  type StartRequest,
} from './code-hosts/starts/find-requests.ts'
export type {
  ChangedIssues,
  HostIssue,
  IssueComment,
  IssueComments,
  IssueEvent,
} from './code-hosts/starts/host-issue.ts'
export { START_LIMITS } from './code-hosts/starts/limits.ts'
export {
  composeReply,
  describeContinuation,
  describeStart,
  describeWakeUp,
  issueUrl,
  nameIssue,
  startMarker,
} from './code-hosts/starts/start-message.ts'
export {
  endOrder,
  NEW_START,
  replyNext,
  tryOther,
  type StartOrder,
  type StartOutcome,
  type StartState,
} from './code-hosts/starts/start-state.ts'
export { withoutQuickActions } from './code-hosts/quick-actions.ts'
export { apiUrlOf, isSameText, repositoryOf, type Repository } from './code-hosts/repository.ts'
export {
  choosePullRequest,
  isOwnPullRequest,
  cleanTitle,
  composeBody,
  nextRead,
  pullRequestName,
  pullRequestUrl,
  type PullRequest,
  type WantedPullRequest,
} from './code-hosts/pull-request.ts'
export { isProtected } from './catalog/kind-rules.ts'
export { applyFieldMask } from './catalog/apply-field-mask.ts'
export { builtInsOf, findBuiltIn, type BuiltIn } from './catalog/built-ins.ts'
export {
  BUILT_IN_CEILING,
  ceilingOf,
  INSTALLATION_CEILING,
  NO_CEILING,
  type Ceiling,
} from './catalog/ceiling.ts'
export { decideDelete, type DeleteCommand, type DeleteDecision } from './catalog/delete-resource.ts'
export { builtInFacts, toPayload, type ResourceFacts } from './catalog/describe-resource.ts'
export { decodePayload, isDocument, withDefaults, type Document } from './catalog/document.ts'
export {
  effectiveMachine,
  effectiveNetwork,
  effectiveQuota,
  effectiveSandbox,
  effectiveToolPrices,
} from './catalog/effective.ts'
export {
  emptyDocument,
  parseDocument,
  parseOwnOrBuiltIn,
  StoredDocumentError,
} from './catalog/parse-document.ts'
export { requireKind, requireReadableKind, resourceNotFound } from './catalog/not-found.ts'
export { findReferences, missingReferences, type Reference, type ResourceRef } from './catalog/references.ts'
export type { KeyGrant, SecretEffect } from './catalog/secret-effect.ts'
export { sharedAgent, sharedIdentity, type SharedAgent } from './catalog/shared-agent.ts'
export {
  decideWrite,
  draftWrite,
  type Draft,
  type StoredResource,
  type WriteCommand,
  type WriteDecision,
  writtenOutputSchema,
} from './catalog/write-resource.ts'
export { announceBudgets, isMetered, type BudgetHolder } from './agent/announce-budgets.ts'
export { AgentChange, type Decision } from './agent/change.ts'
export { countedTasks, newTask, openTasks } from './agent/checklist.ts'
export type { AgentEvent, RecordedEvent } from './agent/events.ts'
export { addUsage, evolve, replay } from './agent/evolve.ts'
export { fitPage } from './agent/fit-page.ts'
export { agentFromJson, eventFromJson, toJson } from './agent/json.ts'
export { listedFromJson, toListedJson, type ListedAgent } from './agent/listed.ts'
export { killAgent } from './agent/kill-agent.ts'
export { awaitsRunner, describePending } from './agent/pending-reason.ts'
export { parseLabelSelector } from './agent/label-selector.ts'
export { requireWithin, type Quota } from './agent/quota.ts'
export {
  personaTasks,
  applyOverride,
  resolveOverride,
  resolveSettings,
  type Backend,
  type PersonaVersion,
  type SettingsRequest,
} from './agent/settings.ts'
export { resumeAgent, type ResumeAgent } from './agent/resume-agent.ts'
export { setBudget } from './agent/set-budget.ts'
export { noteLevel, type BudgetNotice } from './budgets/budget-levels.ts'
export { scopeOf, type BudgetScope } from './budgets/budget-scope.ts'
export { monthStarts } from './budgets/calendar-months.ts'
export { holdsToRelease, releaseHold, type BudgetHold } from './budgets/release-holds.ts'
export { requireDepth, spawnAgent, type SpawnAgent } from './agent/spawn-agent.ts'
export {
  agentKey,
  isDescendant,
  isWithin,
  isLive,
  NO_USAGE,
  parentIdentity,
  queuedMs,
  identityOfKey,
  rootKey,
  type AgentFailure,
  type AgentIdentity,
  type AgentSettings,
  type AgentState,
  type FollowUpBody,
  type PendingFollowUp,
  type RunLimit,
  type RunRecord,
  type SettingsOverride,
  type MeteredUsage,
  type Usage,
} from './agent/state.ts'
export { createTasks, updateTasks } from './agent/task-commands.ts'
export { clearFollowUps } from './follow-ups/clear-follow-ups.ts'
export { deliverDeferred } from './follow-ups/deliver-deferred.ts'
export {
  isKnownFollowUp,
  MAX_DEFER_MS,
  queueFollowUp,
  type QueueFollowUp,
} from './follow-ups/queue-follow-up.ts'
export { removeFollowUp } from './follow-ups/remove-follow-up.ts'
export {
  mayContact,
  parseAddressRange,
  RESERVED_RANGES,
  type AddressExceptions,
  type AddressRange,
} from './network/addresses.ts'
export { isCurrent, type Attempt } from './runs/attempt.ts'
export { endRun, type RunOutcome } from './runs/end-run.ts'
export { loseAttempt } from './runs/lose-attempt.ts'
export { reportProgress, type ProgressEvent, type SteerReport } from './runs/report-progress.ts'
export { MAX_ATTEMPTS } from './runs/run-endings.ts'
export { deliveryBatch, startRun } from './runs/start-run.ts'
export { stopTurn } from './runs/stop-turn.ts'
export {
  wantsAgent,
  wantsEvent,
  type EventFilter,
  type FilteredAgent,
} from './automations/webhooks/event-filter.ts'
export { isTenantEvent, type TenantEvent } from './automations/notifications/tenant-events.ts'
export { formatForChat, formatForMail, type ChatRequest } from './automations/notifications/formats.ts'
export { urlViolations } from './automations/notifications/integration-violations.ts'
export { decideMail, type MailResult } from './automations/notifications/mail-outcome.ts'
export type { Message, Notice } from './automations/notifications/notice.ts'
export { TOLD_TYPES, topicOf, wantsTopic, type TopicFilter } from './automations/notifications/topics.ts'
export { messageId } from './automations/webhooks/message-id.ts'
export {
  afterDelivery,
  afterFailure,
  DISABLE_AFTER_MS,
  giveUpBefore,
  isDead,
  isOpen,
  nextAttempt,
  nextProbe,
  readAnswer,
  RETRY_DELAYS_MS,
  type Answer,
  type Circuit,
} from './automations/webhooks/retries.ts'
export {
  decideAnswer,
  type AnswerDecision,
  type LaneHead,
  type LaneOutcome,
} from './automations/webhooks/lane-outcome.ts'
export {
  routeChanges,
  type AgentEvents,
  type Destination,
  type EventRange,
} from './automations/webhooks/route-changes.ts'
export {
  triggerTexts,
  type TextProblem,
  type TriggerText,
} from './automations/triggers/trigger-violations.ts'
export { defaultAgentName, deliveryFollowUpId, toSlug } from './automations/triggers/delivery-names.ts'
export { describeDiffComment, diffCommentTask, type DiffComment } from './code-hosts/reviews/diff-comment.ts'
export { quoteText, toIdentifier, type TextSource } from './automations/triggers/quote-text.ts'
export {
  isCredentialHeader,
  readingOf,
  type VerificationScheme,
} from './automations/triggers/verification-scheme.ts'
export { checkDocument } from './catalog/check-document.ts'
export { composePage, needsSegments, type PageSpan } from './timelines/compose-page.ts'
export {
  countMovable,
  countOfMonth,
  MIN_SEGMENT_DAYS,
  movedBefore,
  SEGMENT_LIMITS,
} from './timelines/plan-segment.ts'
export {
  readSegment,
  readSegmentLine,
  sequenceOf,
  writeSegment,
  type SegmentHead,
  type StoredEventText,
} from './timelines/segment-text.ts'
