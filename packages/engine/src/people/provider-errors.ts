import { cutText, SkeinError } from '@skein/contract'
import * as oidc from 'openid-client'
import { ProviderUnreachable } from './provider-unreachable.ts'

const MAX_SAID = 200

/** What went wrong between us and a provider, for the person who wants to sign in and for the admin. */
export function toSignInError(error: unknown): SkeinError {
  if (error instanceof SkeinError) return error
  if (error instanceof ProviderUnreachable) return providerUnavailable(error)
  if (error instanceof oidc.AuthorizationResponseError) {
    return new SkeinError('SIGN_IN_REFUSED', {
      message: `The identity provider refused: ${quote(error.error)}.`,
    })
  }
  if (error instanceof oidc.ResponseBodyError) {
    return new SkeinError('SIGN_IN_INVALID', {
      message: `The identity provider did not accept the code: ${quote(error.error)}.`,
      cause: error,
    })
  }
  if (error instanceof oidc.ClientError && error.code === 'OAUTH_TIMEOUT') return providerUnavailable(error)
  if (error instanceof Error) {
    return new SkeinError('SIGN_IN_INVALID', {
      message: `The response of the identity provider is not valid: ${quote(error.message)}.`,
      cause: error,
    })
  }
  throw error
}

export function providerUnavailable(error: unknown): SkeinError {
  const message = error instanceof Error ? error.message : String(error)
  return new SkeinError('IDENTITY_PROVIDER_UNAVAILABLE', {
    message: `The identity provider is not available. ${quote(message)}`,
    cause: error,
  })
}

/** The provider chose this text: one line, of a bounded length, without what a terminal would obey. */
function quote(text: string): string {
  return cutText(text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim(), MAX_SAID)
}
