import { pollRuns as operation, SkeinError } from '@skein/contract'
import { pollRuns } from '@skein/engine'
import { route } from './route.ts'

export const pollRunsRoute = route(operation, async ({ engine, caller, body, signal }) => {
  const wanted = body.pools?.length ? body.pools : caller.pools
  const foreign = wanted.filter((pool) => !caller.pools.includes(pool))
  if (foreign.length > 0 || wanted.length === 0) {
    throw new SkeinError('PERMISSION_MISSING', {
      message:
        wanted.length === 0
          ? 'The token is for no pool: write it with the pools that the runner serves.'
          : `The token is not for the pool ${foreign.join(', ')}.`,
      metadata: { permission: 'run.execute', role: caller.role },
    })
  }
  const deadlineMs = Date.now() + (body.waitMs ?? 0)
  return {
    runs: await pollRuns(engine, caller, { pools: wanted, capacity: body.capacity, deadlineMs, signal }),
  }
})
