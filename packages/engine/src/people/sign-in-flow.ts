import { SkeinError } from '@skein/contract'
import { isDocument } from '@skein/core'
import { isEqual } from '../is-equal.ts'
import type { EngineResources } from '../resources.ts'
import { hashSecret } from '../access/keys.ts'

/** Bound to what is sealed, so that nothing else that we sealed is taken for a sign-in. */
const PLACE = 'sign-in'

export const FLOW_MS = 10 * 60_000

/** A sign-in under way. It is in the browser's cookie, sealed: starting one stores nothing. */
export interface SignInFlow {
  readonly tenantId: string
  readonly name: string
  readonly issuer: string
  /** Where the provider sends the browser, below our URL. */
  readonly path: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** A digest of the secret of the page that started. */
  readonly page: string
  readonly expiresAt: number
}

export const signInExpired = () => new SkeinError('SIGN_IN_EXPIRED')

export function sealFlow({ vault }: EngineResources, flow: SignInFlow): string {
  return vault.seal(JSON.stringify(flow), PLACE)
}

/** The flow of this browser and page, if it is the one that the provider answers. */
export function openFlow(
  engine: EngineResources,
  sealed: string | undefined,
  answer: { readonly pageSecret: string; readonly path: string; readonly state: string },
): SignInFlow {
  const flow = sealed === undefined ? undefined : unseal(engine, sealed)
  if (!flow || flow.expiresAt <= engine.clock.now()) throw signInExpired()
  const isMeant =
    isEqual(flow.page, digestOf(answer.pageSecret)) &&
    isEqual(flow.state, answer.state) &&
    flow.path === answer.path
  if (!isMeant) throw signInExpired()
  return flow
}

export function digestOf(secret: string): string {
  return Buffer.from(hashSecret(secret)).toString('base64url')
}

function unseal({ vault }: EngineResources, sealed: string): SignInFlow | undefined {
  try {
    const flow: unknown = JSON.parse(vault.open(sealed, PLACE))
    return isFlow(flow) ? flow : undefined
  } catch {
    return undefined
  }
}

/** Only we can seal one; an older version may have sealed it in another form. */
function isFlow(value: unknown): value is SignInFlow {
  if (!isDocument(value)) return false
  const texts = ['tenantId', 'name', 'issuer', 'path', 'state', 'nonce', 'verifier', 'page']
  return texts.every((name) => typeof value[name] === 'string') && typeof value['expiresAt'] === 'number'
}
