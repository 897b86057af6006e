import { heartbeatRuns } from '@skein/contract'
import { heartbeat } from '@skein/engine'
import { route } from '../../http/route.ts'

export const heartbeatRunsRoute = route(heartbeatRuns, async ({ engine, caller, body, signal }) => ({
  runs: await heartbeat(engine, caller, body.runs, { deadlineMs: Date.now() + (body.waitMs ?? 0), signal }),
}))
