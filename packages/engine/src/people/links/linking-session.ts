import { SkeinError } from '@skein/contract'
import type { Caller } from '@skein/core'

/** A browser in which a person is signed in with an identity provider. Whether they are is checked where it counts. */
export interface LinkingSession {
  readonly sessionId: string
  readonly keyId: string
}

export const onlyPeople = () =>
  new SkeinError('PERMISSION_MISSING', {
    message: 'Linking accounts requires a browser that is signed in with an identity provider, not a key.',
  })

export function requireSession({ sessionId, keyId }: Caller): LinkingSession {
  if (sessionId === undefined || keyId === undefined) throw onlyPeople()
  return { sessionId, keyId }
}
