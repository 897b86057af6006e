import { parseInt64, watchAgent as operation, type TimelineEvent } from '@skein/contract'
import { watchAgent } from '@skein/engine'
import { targetOf } from '../../http/agent-target.ts'
import { streamRoute } from '../../http/event-stream.ts'

export const watchAgentRoute = streamRoute<typeof operation, TimelineEvent>(operation, async (input) => {
  // A reconnecting browser sends the id of the last event it saw, which is newer than its initial position.
  const lastSeen = parseInt64(input.header('last-event-id') ?? '')
  const after = lastSeen ?? parseInt64(input.body.afterSequence ?? '0') ?? 0n
  const { position, signal } = input
  const events = await watchAgent(input.engine, await targetOf(input), { after, position, signal })
  return { events, idOf: (event) => event.sequence }
})
