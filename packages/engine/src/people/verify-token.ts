import { decodeJwt, type JWTPayload, type JWTVerifyOptions } from 'jose'
import type { EngineResources } from '../resources.ts'

/** Keys are public: a signature with a shared secret or none proves nothing. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const TOLERANCE_SECONDS = 30
const MAX_TOKEN_LENGTH = 16_384

/** Whether it is worth asking the issuer for its keys: anybody can send us anything. */
export function isTokenOf(token: string, issuer: string): boolean {
  if (token.length > MAX_TOKEN_LENGTH) return false
  try {
    return decodeJwt(token).iss === issuer
  } catch {
    return false
  }
}

/** The claims of a token that an issuer, which a tenant chose, signed for this audience. Throws if it did not. */
export async function verifyToken(
  { identityProviders, clock }: EngineResources,
  { issuer, audience }: { readonly issuer: string; readonly audience: string },
  token: string,
  checks: Pick<JWTVerifyOptions, 'requiredClaims' | 'maxTokenAge'>,
): Promise<JWTPayload> {
  return identityProviders.keys.verify(
    token,
    { issuer, audience },
    {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: TOLERANCE_SECONDS,
      currentDate: new Date(clock.now()),
      ...checks,
    },
  )
}
