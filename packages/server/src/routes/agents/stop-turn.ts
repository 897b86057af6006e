import { parseInt64, stopTurn as operation } from '@skein/contract'
import { stopTurn } from '@skein/engine'
import { commandOn } from '../../http/agent-target.ts'
import { route } from '../../http/route.ts'

export const stopTurnRoute = route(operation, async (input) =>
  stopTurn(input.engine, ...(await commandOn(input)), {
    runId: parseInt64(input.body.runId),
    mode: input.body.mode ?? 'STOP_TURN_MODE_UNSPECIFIED',
  }),
)
