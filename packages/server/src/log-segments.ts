import type { EngineEvents } from '@skein/engine'
import type { FastifyBaseLogger } from 'fastify'

/** So that an operator finds the object, and what is wrong with the store. Returns how to stop. */
export function logSegments(events: EngineEvents, log: FastifyBaseLogger): () => void {
  return events.subscribe((event) => {
    if (event.type !== 'segment-unreadable') return
    const { cause, object, error: err } = event
    log.error({ cause, object, err }, 'old events could not be read from the blob store')
  })
}
