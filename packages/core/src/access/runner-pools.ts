import { SkeinError } from '@skein/contract'
import type { Caller } from './caller.ts'

/** The pools a runner asks for. Each must be one its token allows. */
export function poolsOf(caller: Caller, pools: readonly string[] | undefined): readonly string[] {
  const wanted = pools?.length ? pools : caller.pools
  const foreign = wanted.filter((pool) => !caller.pools.includes(pool))
  if (foreign.length === 0 && wanted.length > 0) return wanted
  throw new SkeinError('PERMISSION_MISSING', {
    message:
      wanted.length === 0
        ? 'The token has no pools: add the pools that the runner serves.'
        : `The token does not cover the pool ${foreign.join(', ')}.`,
    metadata: { permission: 'run.execute', role: caller.role },
  })
}
