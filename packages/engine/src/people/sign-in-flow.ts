import { SkeinError } from '@skein/contract'
import { isDocument } from '@skein/core'
import { isEqual } from '../is-equal.ts'
import type { EngineResources } from '../resources.ts'
import { hashSecret } from '../access/keys.ts'

/** What somebody signs in for. Bound to what is sealed, so that one is never taken for the other, or for anything else. */
export type FlowPurpose = 'sign-in' | 'account-link'

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
  /** The session whose account is to be linked; empty for a sign-in. */
  readonly sessionId: string
}

export const signInExpired = () => new SkeinError('SIGN_IN_EXPIRED')

export function sealFlow({ vault }: EngineResources, purpose: FlowPurpose, flow: SignInFlow): string {
  return vault.seal(JSON.stringify(flow), purpose)
}

/** The flow of this browser and page, if it is the one that the provider answers. */
export function openFlow(
  engine: EngineResources,
  purpose: FlowPurpose,
  sealed: string | undefined,
  answer: { readonly pageSecret: string; readonly path: string; readonly state: string },
): SignInFlow {
  const flow = sealed === undefined ? undefined : unseal(engine, purpose, sealed)
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

function unseal({ vault }: EngineResources, purpose: FlowPurpose, sealed: string): SignInFlow | undefined {
  try {
    const flow: unknown = JSON.parse(vault.open(sealed, purpose))
    return isFlow(flow) ? { ...flow, sessionId: flow.sessionId ?? '' } : undefined
  } catch {
    return undefined
  }
}

/** Only we can seal one; an older version may have sealed it in another form, and names no session. */
function isFlow(value: unknown): value is Omit<SignInFlow, 'sessionId'> & Partial<SignInFlow> {
  if (!isDocument(value) || !['string', 'undefined'].includes(typeof value['sessionId'])) return false
  const texts = ['tenantId', 'name', 'issuer', 'path', 'state', 'nonce', 'verifier', 'page']
  return texts.every((name) => typeof value[name] === 'string') && typeof value['expiresAt'] === 'number'
}
