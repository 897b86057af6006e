import { listPullRequests as operation } from '@skein/contract'
import { listAgentPullRequests } from '@skein/engine'
import { targetOf } from '../../http/agent-target.ts'
import { route } from '../../http/route.ts'

export const listPullRequestsRoute = route(operation, async (input) =>
  listAgentPullRequests(input.engine, await targetOf(input)),
)
