import { SkeinError } from '@skein/contract'

/** More requests than the trigger's document allows in a minute. */
export function triggerLimited(retryDelayMs: number): SkeinError {
  return new SkeinError('RATE_LIMITED', {
    message: 'The trigger got too many requests. Its limit is in its document.',
    retryDelayMs,
  })
}
