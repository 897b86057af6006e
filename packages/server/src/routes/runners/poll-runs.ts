import { pollRuns as operation } from '@skein/contract'
import { poolsOf } from '@skein/core'
import { pollRuns, recordRunner } from '@skein/engine'
import { route } from '../../http/route.ts'

export const pollRunsRoute = route(operation, async ({ engine, caller, body, signal }) => {
  const wanted = poolsOf(caller, body.pools)
  const { capacity, waitMs = 0, offers } = body
  const deadlineMs = Date.now() + waitMs
  await recordRunner(engine, caller, { pools: wanted, offers })
  if (capacity === 0) return { runs: [] }
  return { runs: await pollRuns(engine, caller, { pools: wanted, capacity, offers, deadlineMs, signal }) }
})
