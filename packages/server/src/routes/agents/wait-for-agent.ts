import { SkeinError, waitForAgent as operation } from '@skein/contract'
import { agentNotFound, seesWorkspace } from '@skein/core'
import { waitForAgent } from '@skein/engine'
import { targetOf } from '../../http/agent-target.ts'
import { currentCaller } from '../../plugins/authentication.ts'
import { countStream } from '../../plugins/open-streams.ts'
import { defineRoute, type RouteInput } from '../../http/route.ts'

/** Clients behind a proxy ask for a response in time. Without that, only the agent ends the wait. */
const PREFERRED_WAIT = /(?:^|[,;\s])wait=(\d{1,6})(?:$|[,;\s])/i

/** After a longer wait the key is checked again: it may no longer be valid, or its owner may have left the team. */
const LONG_WAIT_MS = 2_000

export const waitForAgentRoute = defineRoute(
  operation,
  async (input: RouteInput<typeof operation>, reply) => {
    countStream(reply, 'wait')
    const seconds = PREFERRED_WAIT.exec(input.header('prefer') ?? '')?.[1]
    const answer = await waitForAgent(input.engine, await targetOf(input), {
      signal: input.signal,
      deadlineMs: seconds === undefined ? undefined : Date.now() + Number(seconds) * 1000,
    })
    if (reply.elapsedTime > LONG_WAIT_MS) {
      const caller = await currentCaller(reply.request)
      if (!caller) throw new SkeinError('CREDENTIAL_INVALID')
      if (!seesWorkspace(caller, input.body.agentId.workspace ?? '')) throw agentNotFound()
    }
    return answer
  },
)
