import {
  parseInt64,
  parseTimestamp,
  replayDeliveries as operation,
  SkeinError,
  type BodyOf,
} from '@skein/contract'
import { findTarget, replayDeliveries, type EngineResources, type Replay } from '@skein/engine'
import type { Caller } from '@skein/core'
import { tenantOfResource } from '../../http/tenant-of-resource.ts'
import { route } from '../../http/route.ts'

export const replayDeliveriesRoute = route(operation, async (input) => {
  const { engine, caller, params, body } = input
  const context = input.commandFor(await tenantOfResource('integration', input, body.tenant))
  const replay = await readReplay(engine, caller, body)
  return replayDeliveries(engine, context, params.name, { replay, justification: body.justification ?? '' })
})

async function readReplay(
  engine: EngineResources,
  caller: Caller,
  { agentId, firstSequence, lastSequence, sinceTime, deadLetters }: BodyOf<typeof operation>,
): Promise<Replay> {
  const given = [agentId !== undefined, sinceTime !== undefined, deadLetters === true]
  if (given.filter(Boolean).length !== 1) {
    throw new SkeinError('REQUEST_INVALID', {
      message: 'Name exactly one: agentId, sinceTime or deadLetters.',
    })
  }
  if (deadLetters === true) return { type: 'dead-letters' }
  if (sinceTime !== undefined) return { type: 'since', time: parseTimestamp(sinceTime) ?? Number.NaN }
  const { identity } = await findTarget(engine, caller, agentId ?? {})
  return {
    type: 'agent',
    identity,
    firstSequence: parseInt64(firstSequence ?? '1') ?? 1n,
    lastSequence: parseInt64(lastSequence ?? ''),
  }
}
