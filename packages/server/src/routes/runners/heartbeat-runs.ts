import { heartbeatRuns as operation } from '@skein/contract'
import { heartbeatRuns } from '@skein/engine'
import { route } from '../../http/route.ts'

export const heartbeatRunsRoute = route(operation, async ({ engine, caller, body, signal }) => ({
  runs: await heartbeatRuns(engine, caller, body.runs, {
    deadlineMs: Date.now() + (body.waitMs ?? 0),
    signal,
  }),
}))
