import type { EngineEvents } from '@skein/engine'
import type { FastifyBaseLogger } from 'fastify'

/** So that an operator finds the object. Returns how to stop. */
export function logSegments(events: EngineEvents, log: FastifyBaseLogger): () => void {
  return events.subscribe((event) => {
    if (event.type !== 'segment-unreadable') return
    const { cause, object } = event
    log.error({ cause, object }, 'old events could not be read from the blob store')
  })
}
