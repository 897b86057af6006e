import { pollRuns as operation, SkeinError } from '@skein/contract'
import { pollRuns, recordRunner } from '@skein/engine'
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
  const { capacity, waitMs = 0, offers } = body
  const deadlineMs = Date.now() + waitMs
  await recordRunner(engine, caller, { pools: wanted, offers })
  if (capacity === 0) return { runs: [] }
  return { runs: await pollRuns(engine, caller, { pools: wanted, capacity, offers, deadlineMs, signal }) }
})
