import { takeLeftovers as operation } from '@skein/contract'
import { LEFTOVER_HOLD_MS, takeLeftovers } from '@skein/engine'
import { poolsOf } from '../../http/pools-of.ts'
import { route } from '../../http/route.ts'

export const takeLeftoversRoute = route(operation, async ({ engine, caller, body }) => ({
  leftovers: await takeLeftovers(engine, caller, {
    pools: poolsOf(caller, body.pools),
    removed: body.removed ?? [],
  }),
  holdMs: LEFTOVER_HOLD_MS,
}))
