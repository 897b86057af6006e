import { waitForAgent as operation } from '@skein/contract'
import { waitForAgent } from '@skein/engine'
import { targetOf } from './agent-target.ts'
import { route } from './route.ts'

/** Clients behind a proxy ask for an answer in time; without that, only the agent ends the wait. */
const PREFERRED_WAIT = /(?:^|[,;\s])wait=(\d{1,6})(?:$|[,;\s])/i

export const waitForAgentRoute = route(operation, async (input) => {
  const seconds = PREFERRED_WAIT.exec(input.header('prefer') ?? '')?.[1]
  return waitForAgent(input.engine, await targetOf(input), {
    signal: input.signal,
    deadlineMs: seconds === undefined ? undefined : Date.now() + Number(seconds) * 1000,
  })
})
