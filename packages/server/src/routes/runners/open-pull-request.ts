import { openPullRequest as operation } from '@skein/contract'
import { openPullRequest } from '@skein/engine'
import { route } from '../../http/route.ts'

export const openPullRequestRoute = route(operation, ({ engine, caller, body, signal }) =>
  openPullRequest(engine, caller, body, signal),
)
