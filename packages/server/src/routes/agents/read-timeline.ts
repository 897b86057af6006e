import { MAX_PAGE_SIZE, parseInt64, readTimeline as operation } from '@skein/contract'
import { readTimeline } from '@skein/engine'
import { targetOf } from '../../http/agent-target.ts'
import { route } from '../../http/route.ts'

export const readTimelineRoute = route(operation, async (input) =>
  readTimeline(
    input.engine,
    await targetOf(input),
    {
      after: parseInt64(input.body.afterSequence ?? '0') ?? 0n,
      limit: input.body.pageSize ?? MAX_PAGE_SIZE,
    },
    input.position,
  ),
)
