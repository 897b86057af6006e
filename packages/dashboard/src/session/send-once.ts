import { SkeinApiError } from '@skein/client'
import { makeRandomId } from '../format/random-id.ts'

/** One request by the user, however many attempts it takes. */
export interface Attempt {
  readonly idempotencyKey: string
  /** When it was first sent, because a time such as "in an hour" is part of the request. */
  readonly firstMs: number
}

export type SendOnce = <Answer>(
  /** Everything that distinguishes this request from others. */
  request: unknown,
  call: (attempt: Attempt) => Promise<Answer>,
) => Promise<Answer>

/**
 * Sending the same request again after a lost response keeps its key, so that the service carries it out once. After
 * a response, the same text is a new request.
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
      // The service repeats a rejection for the same key, so another attempt is a new request, with newly computed
      // times.
      if (error instanceof SkeinApiError && !error.isRetryable) last = undefined
      throw error
    }
  }
}
