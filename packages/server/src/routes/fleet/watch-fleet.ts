import { watchFleet as operation, type FleetChange } from '@skein/contract'
import { isFleetChange, watchFleet, type FleetPosition } from '@skein/engine'
import { streamRoute } from '../../http/event-stream.ts'
import { readFleetFilter } from '../../http/fleet-filter.ts'

type Told = FleetChange | FleetPosition

export const watchFleetRoute = streamRoute<typeof operation, Told>(operation, async (input) => {
  const { engine, caller, body, signal } = input
  const { tenant, filter } = await readFleetFilter(engine, caller, body)
  // A reconnecting browser sends the id of the last event it saw, which is newer than its initial position.
  const after = input.header('last-event-id') ?? body.after ?? ''
  const events = await watchFleet(engine, tenant, { filter, after, signal })
  return {
    events,
    idOf: ({ cursor }) => cursor,
    nameOf: (told) => (isFleetChange(told) ? undefined : 'position'),
  }
})
