import {
  agentStatus,
  killAgent,
  listAgents,
  setBudget,
  spawnAgent,
  stopTurn,
  waitForAgent,
  watchAgents,
} from './agents.ts'
import { exportAudit, listAudit, watchAudit } from './audit.ts'
import {
  listDeadLetters,
  listDeliveries,
  listIntegrations,
  readDelivery,
  replayDeliveries,
  testIntegration,
} from './automations/integrations.ts'
import {
  listTriggerDeliveries,
  listTriggers,
  readTriggerDelivery,
  receiveDelivery,
  redeliver,
  testTrigger,
} from './automations/triggers.ts'
import {
  deleteResource,
  listKinds,
  listResources,
  readResource,
  resourceHistory,
  writeResource,
} from './catalog.ts'
import {
  answerThread,
  listFleetPullRequests,
  listPullRequests,
  listStartingRepositories,
  receiveHostWebhook,
} from './code-hosts.ts'
import { commentOnDiff, listDiffs, readDiff, recordDiff } from './diffs.ts'
import { listFleet, summarizeFleet, watchFleet } from './fleet.ts'
import { listBudgets, readUsage } from './usage.ts'
import { clearFollowUps, listFollowUps, queueFollowUp, removeFollowUp } from './follow-ups.ts'
import { getPermissions, whoami } from './identity.ts'
import {
  listFirings,
  listSchedules,
  previewSchedule,
  readSchedule,
  runSchedule,
} from './automations/schedules.ts'
import type { Operation } from './operation.ts'
import {
  completeRun,
  heartbeatRuns,
  listRunners,
  mintRepoCredential,
  openPullRequest,
  pollRuns,
  takeLeftovers,
} from './runners.ts'
import { createSignInLink, endSession, listSessions, readShare, signIn, signOut } from './sessions.ts'
import { decideLogin, findLogin, finishLogin, renewSession, startLogin } from './logins.ts'
import { endProviderSessions, finishSignIn, listSignInProviders, startSignIn } from './sign-in.ts'
import { finishAccountLink, listLinkedAccounts, startAccountLink, unlinkAccount } from './account-links.ts'
import {
  acceptInvitation,
  createInvitation,
  listInvitations,
  readInvitation,
  revokeInvitation,
} from './invitations.ts'
import { listLeavers } from './leavers.ts'
import {
  createTenant,
  deleteTenant,
  exportTenant,
  listTenants,
  readTenant,
  resumeTenant,
  suspendTenant,
} from './tenants.ts'
import { exchangeToken } from './workloads.ts'
import { createTasks, listTasks, updateTasks } from './tasks.ts'
import { readTimeline, watchAgent } from './timeline.ts'

/** All operations of the service. The server's routes, the OpenAPI document and the clients derive from it. */
export const OPERATIONS = [
  whoami,
  getPermissions,
  signIn,
  createSignInLink,
  listSignInProviders,
  startSignIn,
  finishSignIn,
  endProviderSessions,
  startLogin,
  findLogin,
  decideLogin,
  finishLogin,
  renewSession,
  exchangeToken,
  signOut,
  listSessions,
  endSession,
  listLinkedAccounts,
  startAccountLink,
  finishAccountLink,
  unlinkAccount,
  createInvitation,
  listInvitations,
  revokeInvitation,
  readInvitation,
  acceptInvitation,
  listLeavers,
  createTenant,
  listTenants,
  readTenant,
  suspendTenant,
  resumeTenant,
  exportTenant,
  deleteTenant,
  readShare,
  spawnAgent,
  agentStatus,
  waitForAgent,
  listAgents,
  watchAgents,
  listFleet,
  watchFleet,
  summarizeFleet,
  listFleetPullRequests,
  readUsage,
  listBudgets,
  stopTurn,
  killAgent,
  setBudget,
  queueFollowUp,
  listFollowUps,
  removeFollowUp,
  clearFollowUps,
  listTasks,
  createTasks,
  updateTasks,
  readTimeline,
  watchAgent,
  listDiffs,
  readDiff,
  commentOnDiff,
  listPullRequests,
  listKinds,
  listResources,
  readResource,
  writeResource,
  deleteResource,
  resourceHistory,
  listAudit,
  exportAudit,
  watchAudit,
  listIntegrations,
  listDeliveries,
  readDelivery,
  listDeadLetters,
  replayDeliveries,
  testIntegration,
  listSchedules,
  readSchedule,
  listFirings,
  runSchedule,
  previewSchedule,
  receiveDelivery,
  receiveHostWebhook,
  listStartingRepositories,
  listTriggers,
  listTriggerDeliveries,
  readTriggerDelivery,
  redeliver,
  testTrigger,
  pollRuns,
  heartbeatRuns,
  takeLeftovers,
  mintRepoCredential,
  openPullRequest,
  answerThread,
  recordDiff,
  completeRun,
  listRunners,
] as const satisfies readonly Operation[]

export type OperationId = (typeof OPERATIONS)[number]['id']
