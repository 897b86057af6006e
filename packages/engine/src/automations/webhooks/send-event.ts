import { messageId, type Answer } from '@skein/core'
import type { DeliveryRecord, DueLane, SentEvent } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import type { Receiver } from './destinations.ts'
import { eventContent } from './message-content.ts'
import { postMessage } from './post-message.ts'
import type { Post } from './post.ts'

export interface Sent {
  readonly answer: Answer
  readonly record: DeliveryRecord
}

/** Sends one event of a lane. Never rejects. */
export async function sendEvent(
  post: Post,
  receiver: Receiver,
  lane: DueLane,
  event: SentEvent,
  at: number,
): Promise<Sent> {
  const { answer, logged } = await postMessage(post, receiver, {
    id: messageId(lane.agentId, event.sequence),
    at,
    content: eventContent(event, lane.identity, receiver.tenant),
  })
  return {
    answer,
    record: {
      id: uuidV7(),
      at,
      agentId: lane.agentId,
      sequence: event.sequence,
      eventType: event.event.type,
      attempt: lane.attempts + 1,
      ...logged,
    },
  }
}
