import type { TenantInput } from '@skein/contract'
import { LINK_STATE_PREFIX } from '@skein/contract/facts'
import { calculatePKCECodeChallenge } from 'openid-client'
import type { EngineResources } from '../resources.ts'
import { chargeAttempt, forgiveAttempt } from '../access/sign-in-limit.ts'
import { callbackPath, requireProvider } from './find-provider.ts'
import { providerUnavailable } from './provider-errors.ts'
import { connectSource } from './sources/connect-source.ts'
import type { PeopleSource, SourceStart } from './sources/people-source.ts'
import { digestOf, FLOW_MS, sealFlow, type FlowPurpose, type SignInFlow } from './sign-in-flow.ts'

export interface StartSignIn {
  readonly tenant: TenantInput
  readonly name: string
  readonly pageSecret: string
  readonly address: string
}

export interface StartedSignIn {
  readonly url: string
  /** For the cookie. */
  readonly flow: string
  readonly maxAgeSeconds: number
}

/** Where a person signs in, and what the browser must bring back. */
export function startSignIn(engine: EngineResources, wanted: StartSignIn): Promise<StartedSignIn> {
  return startFlow(engine, wanted, { purpose: 'sign-in', sessionId: '' })
}

export async function startFlow(
  engine: EngineResources,
  { tenant, name, pageSecret, address }: StartSignIn,
  { purpose, sessionId }: { readonly purpose: FlowPurpose; readonly sessionId: string },
): Promise<StartedSignIn> {
  const attempt = { address, keyId: undefined }
  await chargeAttempt(engine, attempt)
  const { tenantId, ...usable } = await requireProvider(engine, tenant, name)
  const source = connectSource(engine, usable, '')
  const flow: SignInFlow = {
    tenantId,
    name,
    issuer: source.issuer,
    path: callbackPath(tenant, name),
    state: (purpose === 'account-link' ? LINK_STATE_PREFIX : '') + randomText(engine),
    nonce: randomText(engine),
    verifier: randomText(engine),
    page: digestOf(pageSecret),
    expiresAt: engine.clock.now() + FLOW_MS,
    sessionId,
  }
  const url = await toAuthorizationUrl(source, {
    redirectUrl: engine.publicUrl + flow.path,
    state: flow.state,
    nonce: flow.nonce,
    challenge: await calculatePKCECodeChallenge(flow.verifier),
  })
  await forgiveAttempt(engine, attempt)
  return { url: url.href, flow: sealFlow(engine, purpose, flow), maxAgeSeconds: FLOW_MS / 1000 }
}

async function toAuthorizationUrl(source: PeopleSource, start: SourceStart): Promise<URL> {
  try {
    const url = await source.authorizationUrl(start)
    // The provider chose it, and the page will go there: a script would run as ours.
    if (url.protocol === 'https:' || url.protocol === new URL(source.issuer).protocol) return url
  } catch (error) {
    throw providerUnavailable(error)
  }
  throw providerUnavailable('The address of its sign-in page does not begin with https://.')
}

function randomText({ random }: EngineResources): string {
  return Buffer.from(random.bytes(32)).toString('base64url')
}
