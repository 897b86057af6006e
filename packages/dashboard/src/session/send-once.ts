import { SkeinApiError } from '@skein/client'
import { makeRandomId } from '../format/random-id.ts'

/** One wish of somebody, however often it takes to get it through. */
export interface Attempt {
  readonly idempotencyKey: string
  /** When it was sent first, because a time such as "in an hour" is part of the request. */
  readonly firstMs: number
}

export type SendOnce = <Answer>(
  /** All that tells this request from another one. */
  request: unknown,
  call: (attempt: Attempt) => Promise<Answer>,
) => Promise<Answer>

/**
 * Sent again after a lost answer, the same request keeps its key, so that the service does not carry it out twice.
 * After an answer, the same words are a new wish.
 */
export function makeSendOnce({ makeKey = makeRandomId, now = Date.now } = {}): SendOnce {
  let last: (Attempt & { readonly text: string }) | undefined
  return async (request, call) => {
    const text = JSON.stringify(request)
    const attempt = last?.text === text ? last : { text, idempotencyKey: makeKey(), firstMs: now() }
    last = attempt
    try {
      const answer = await call(attempt)
      last = undefined
      return answer
    } catch (error) {
      // The service repeats a refusal under the same key: whoever tries again has a new wish, with a time worked out anew.
      if (error instanceof SkeinApiError && !error.isRetryable) last = undefined
      throw error
    }
  }
}
