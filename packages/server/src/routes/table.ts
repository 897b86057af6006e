import { agentStatusRoute } from './agents/agent-status.ts'
import { clearFollowUpsRoute } from './agents/clear-follow-ups.ts'
import { completeRunRoute } from './runners/complete-run.ts'
import { createSignInLinkRoute } from './sessions/create-sign-in-link.ts'
import { createTasksRoute } from './agents/create-tasks.ts'
import { deleteResourceRoute } from './catalog/delete-resource.ts'
import { endProviderSessionsRoute } from './sessions/end-provider-sessions.ts'
import { finishSignInRoute } from './sessions/finish-sign-in.ts'
import { listSignInProvidersRoute } from './sessions/list-sign-in-providers.ts'
import { startSignInRoute } from './sessions/start-sign-in.ts'
import { startLoginRoute } from './sessions/start-login.ts'
import { findLoginRoute } from './sessions/find-login.ts'
import { decideLoginRoute } from './sessions/decide-login.ts'
import { finishLoginRoute } from './sessions/finish-login.ts'
import { renewSessionRoute } from './sessions/renew-session.ts'
import { exchangeTokenRoute } from './sessions/exchange-token.ts'
import { endSessionRoute } from './sessions/end-session.ts'
import { exportAuditRoute } from './audit/export-audit.ts'
import { getPermissionsRoute } from './sessions/get-permissions.ts'
import { heartbeatRunsRoute } from './runners/heartbeat-runs.ts'
import { killAgentRoute } from './agents/kill-agent.ts'
import { listAgentsRoute } from './agents/list-agents.ts'
import { listAuditRoute } from './audit/list-audit.ts'
import { listFiringsRoute } from './automations/list-firings.ts'
import { listSchedulesRoute } from './automations/list-schedules.ts'
import { previewScheduleRoute } from './automations/preview-schedule.ts'
import { readScheduleRoute } from './automations/read-schedule.ts'
import { runScheduleRoute } from './automations/run-schedule.ts'
import { listFleetRoute } from './fleet/list-fleet.ts'
import { listFleetPullRequestsRoute } from './fleet/list-fleet-pull-requests.ts'
import { listBudgetsRoute } from './budgets/list-budgets.ts'
import { readUsageRoute } from './budgets/read-usage.ts'
import { listFollowUpsRoute } from './agents/list-follow-ups.ts'
import { listKindsRoute } from './catalog/list-kinds.ts'
import { listResourcesRoute } from './catalog/list-resources.ts'
import { listDeadLettersRoute } from './automations/list-dead-letters.ts'
import { listDeliveriesRoute } from './automations/list-deliveries.ts'
import { readDeliveryRoute } from './automations/read-delivery.ts'
import { listIntegrationsRoute } from './automations/list-integrations.ts'
import { replayDeliveriesRoute } from './automations/replay-deliveries.ts'
import { testIntegrationRoute } from './automations/test-integration.ts'
import { listTriggersRoute } from './automations/list-triggers.ts'
import { listTriggerDeliveriesRoute } from './automations/list-trigger-deliveries.ts'
import { readTriggerDeliveryRoute } from './automations/read-trigger-delivery.ts'
import { receiveDeliveryRoute } from './automations/receive-delivery.ts'
import { listStartingRepositoriesRoute } from './automations/list-starting-repositories.ts'
import { receiveHostWebhookRoute } from './automations/receive-host-webhook.ts'
import { redeliverRoute } from './automations/redeliver.ts'
import { testTriggerRoute } from './automations/test-trigger.ts'
import { listRunnersRoute } from './runners/list-runners.ts'
import { listSessionsRoute } from './sessions/list-sessions.ts'
import { listTasksRoute } from './agents/list-tasks.ts'
import { mintRepoCredentialRoute } from './runners/mint-repo-credential.ts'
import { openPullRequestRoute } from './runners/open-pull-request.ts'
import { answerThreadRoute } from './runners/answer-thread.ts'
import { recordDiffRoute } from './runners/record-diff.ts'
import { pollRunsRoute } from './runners/poll-runs.ts'
import { queueFollowUpRoute } from './agents/queue-follow-up.ts'
import { readResourceRoute } from './catalog/read-resource.ts'
import { listDiffsRoute } from './agents/list-diffs.ts'
import { commentOnDiffRoute } from './agents/comment-on-diff.ts'
import { listPullRequestsRoute } from './agents/list-pull-requests.ts'
import { readDiffRoute } from './agents/read-diff.ts'
import { readShareRoute } from './sessions/read-share.ts'
import { readTimelineRoute } from './agents/read-timeline.ts'
import { removeFollowUpRoute } from './agents/remove-follow-up.ts'
import { resourceHistoryRoute } from './catalog/resource-history.ts'
import type { Route } from '../http/route.ts'
import { setBudgetRoute } from './agents/set-budget.ts'
import { signInRoute } from './sessions/sign-in.ts'
import { signOutRoute } from './sessions/sign-out.ts'
import { spawnAgentRoute } from './agents/spawn-agent.ts'
import { stopTurnRoute } from './agents/stop-turn.ts'
import { summarizeFleetRoute } from './fleet/summarize-fleet.ts'
import { takeLeftoversRoute } from './runners/take-leftovers.ts'
import { updateTasksRoute } from './agents/update-tasks.ts'
import { waitForAgentRoute } from './agents/wait-for-agent.ts'
import { watchAgentRoute } from './agents/watch-agent.ts'
import { watchAgentsRoute } from './agents/watch-agents.ts'
import { watchAuditRoute } from './audit/watch-audit.ts'
import { watchFleetRoute } from './fleet/watch-fleet.ts'
import { finishAccountLinkRoute } from './account/finish-account-link.ts'
import { listLinkedAccountsRoute } from './account/list-linked-accounts.ts'
import { startAccountLinkRoute } from './account/start-account-link.ts'
import { unlinkAccountRoute } from './account/unlink-account.ts'
import { acceptInvitationRoute } from './invitations/accept-invitation.ts'
import { createInvitationRoute } from './invitations/create-invitation.ts'
import { listInvitationsRoute } from './invitations/list-invitations.ts'
import { readInvitationRoute } from './invitations/read-invitation.ts'
import { revokeInvitationRoute } from './invitations/revoke-invitation.ts'
import { listLeaversRoute } from './sessions/list-leavers.ts'
import { createTenantRoute } from './tenants/create-tenant.ts'
import { listTenantsRoute } from './tenants/list-tenants.ts'
import { readTenantRoute } from './tenants/read-tenant.ts'
import { suspendTenantRoute } from './tenants/suspend-tenant.ts'
import { resumeTenantRoute } from './tenants/resume-tenant.ts'
import { exportTenantRoute } from './tenants/export-tenant.ts'
import { deleteTenantRoute } from './tenants/delete-tenant.ts'
import { whoamiRoute } from './sessions/whoami.ts'
import { writeResourceRoute } from './catalog/write-resource.ts'

/** The operations this server serves. Others of the contract answer "not served yet". */
export const ROUTES: readonly Route[] = [
  whoamiRoute,
  getPermissionsRoute,
  signInRoute,
  createSignInLinkRoute,
  listSignInProvidersRoute,
  startSignInRoute,
  finishSignInRoute,
  endProviderSessionsRoute,
  startLoginRoute,
  findLoginRoute,
  decideLoginRoute,
  finishLoginRoute,
  renewSessionRoute,
  exchangeTokenRoute,
  signOutRoute,
  listSessionsRoute,
  endSessionRoute,
  listLinkedAccountsRoute,
  startAccountLinkRoute,
  finishAccountLinkRoute,
  unlinkAccountRoute,
  createInvitationRoute,
  listInvitationsRoute,
  revokeInvitationRoute,
  readInvitationRoute,
  acceptInvitationRoute,
  listLeaversRoute,
  createTenantRoute,
  listTenantsRoute,
  readTenantRoute,
  suspendTenantRoute,
  resumeTenantRoute,
  exportTenantRoute,
  deleteTenantRoute,
  readShareRoute,
  listKindsRoute,
  listResourcesRoute,
  readResourceRoute,
  writeResourceRoute,
  deleteResourceRoute,
  resourceHistoryRoute,
  listAuditRoute,
  exportAuditRoute,
  watchAuditRoute,
  listIntegrationsRoute,
  listDeliveriesRoute,
  readDeliveryRoute,
  listDeadLettersRoute,
  replayDeliveriesRoute,
  testIntegrationRoute,
  receiveDeliveryRoute,
  receiveHostWebhookRoute,
  listStartingRepositoriesRoute,
  listTriggersRoute,
  listTriggerDeliveriesRoute,
  readTriggerDeliveryRoute,
  redeliverRoute,
  testTriggerRoute,
  agentStatusRoute,
  clearFollowUpsRoute,
  completeRunRoute,
  createTasksRoute,
  heartbeatRunsRoute,
  killAgentRoute,
  listAgentsRoute,
  listFleetRoute,
  listFollowUpsRoute,
  listRunnersRoute,
  listBudgetsRoute,
  readUsageRoute,
  listTasksRoute,
  pollRunsRoute,
  takeLeftoversRoute,
  mintRepoCredentialRoute,
  openPullRequestRoute,
  answerThreadRoute,
  recordDiffRoute,
  listDiffsRoute,
  readDiffRoute,
  commentOnDiffRoute,
  listPullRequestsRoute,
  queueFollowUpRoute,
  readTimelineRoute,
  removeFollowUpRoute,
  setBudgetRoute,
  spawnAgentRoute,
  stopTurnRoute,
  updateTasksRoute,
  waitForAgentRoute,
  watchAgentRoute,
  watchAgentsRoute,
  watchFleetRoute,
  summarizeFleetRoute,
  listFleetPullRequestsRoute,
  listSchedulesRoute,
  readScheduleRoute,
  listFiringsRoute,
  runScheduleRoute,
  previewScheduleRoute,
]
