import { listFleetPullRequests as operation } from '@skein/contract'
import { listFleetPullRequests } from '@skein/engine'
import { route } from '../../http/route.ts'

export const listFleetPullRequestsRoute = route(operation, ({ engine, caller, body }) =>
  listFleetPullRequests(engine, caller, body.agentIds),
)
