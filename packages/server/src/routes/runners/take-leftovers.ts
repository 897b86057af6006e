import { takeLeftovers as operation } from '@skein/contract'
import { poolsOf } from '@skein/core'
import { LEFTOVER_HOLD_MS, takeLeftovers } from '@skein/engine'
import { route } from '../../http/route.ts'

export const takeLeftoversRoute = route(operation, async ({ engine, caller, body }) => ({
  leftovers: await takeLeftovers(engine, caller, {
    pools: poolsOf(caller, body.pools),
    removed: body.removed ?? [],
  }),
  holdMs: LEFTOVER_HOLD_MS,
}))
