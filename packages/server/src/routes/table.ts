import { agentStatusRoute } from './agent-status.ts'
import { clearFollowUpsRoute } from './clear-follow-ups.ts'
import { completeRunRoute } from './complete-run.ts'
import { createSignInLinkRoute } from './create-sign-in-link.ts'
import { createTasksRoute } from './create-tasks.ts'
import { deleteResourceRoute } from './delete-resource.ts'
import { endSessionRoute } from './end-session.ts'
import { exportAuditRoute } from './export-audit.ts'
import { heartbeatRunsRoute } from './heartbeat-runs.ts'
import { killAgentRoute } from './kill-agent.ts'
import { listAgentsRoute } from './list-agents.ts'
import { listAuditRoute } from './list-audit.ts'
import { listFleetRoute } from './list-fleet.ts'
import { listFollowUpsRoute } from './list-follow-ups.ts'
import { listKindsRoute } from './list-kinds.ts'
import { listResourcesRoute } from './list-resources.ts'
import { listRunnersRoute } from './list-runners.ts'
import { listSessionsRoute } from './list-sessions.ts'
import { listTasksRoute } from './list-tasks.ts'
import { pollRunsRoute } from './poll-runs.ts'
import { queueFollowUpRoute } from './queue-follow-up.ts'
import { readResourceRoute } from './read-resource.ts'
import { readShareRoute } from './read-share.ts'
import { readTimelineRoute } from './read-timeline.ts'
import { removeFollowUpRoute } from './remove-follow-up.ts'
import { resourceHistoryRoute } from './resource-history.ts'
import type { Route } from './route.ts'
import { setBudgetRoute } from './set-budget.ts'
import { signInRoute } from './sign-in.ts'
import { signOutRoute } from './sign-out.ts'
import { spawnAgentRoute } from './spawn-agent.ts'
import { stopTurnRoute } from './stop-turn.ts'
import { summarizeFleetRoute } from './summarize-fleet.ts'
import { takeLeftoversRoute } from './take-leftovers.ts'
import { updateTasksRoute } from './update-tasks.ts'
import { waitForAgentRoute } from './wait-for-agent.ts'
import { watchAgentRoute } from './watch-agent.ts'
import { watchAgentsRoute } from './watch-agents.ts'
import { watchFleetRoute } from './watch-fleet.ts'
import { whoamiRoute } from './whoami.ts'
import { writeResourceRoute } from './write-resource.ts'

/** The operations that this server serves. The rest of the contract answers that it is not served yet. */
export const ROUTES: readonly Route[] = [
  whoamiRoute,
  signInRoute,
  createSignInLinkRoute,
  signOutRoute,
  listSessionsRoute,
  endSessionRoute,
  readShareRoute,
  listKindsRoute,
  listResourcesRoute,
  readResourceRoute,
  writeResourceRoute,
  deleteResourceRoute,
  resourceHistoryRoute,
  listAuditRoute,
  exportAuditRoute,
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
  listTasksRoute,
  pollRunsRoute,
  takeLeftoversRoute,
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
]
