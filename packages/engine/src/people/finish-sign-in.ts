import { parseDuration, SkeinError } from '@skein/contract'
import {
  addressBlock,
  decidePerson,
  endsSessions,
  isDocument,
  isIdentifier,
  type Document,
} from '@skein/core'
import { PersonStore } from '@skein/store'
import * as oidc from 'openid-client'
import type { EngineResources } from '../resources.ts'
import { hashSecret } from '../access/keys.ts'
import { toCaller } from '../access/known-key.ts'
import { openSession, type SignedIn, type SigningPage } from '../access/open-session.ts'
import { chargeAttempt, forgiveAttempt } from '../access/sign-in-limit.ts'
import { lockUsable, requireClient } from './find-provider.ts'
import { toSignInError } from './provider-errors.ts'
import { savePerson } from './save-person.ts'
import { openFlow, signInExpired, type SignInFlow } from './sign-in-flow.ts'

interface FinishSignIn extends SigningPage {
  /** The cookie that startSignIn set. */
  readonly flow: string | undefined
  /** Path and query. */
  readonly returnedTo: string
}

/** Opens a session for the person whom the provider names. */
export async function finishSignIn(
  engine: EngineResources,
  { flow: sealed, returnedTo, ...page }: FinishSignIn,
): Promise<SignedIn> {
  const attempt = { address: page.address, keyId: undefined }
  await chargeAttempt(engine, attempt)
  const url = readReturn(engine, returnedTo)
  const [path = ''] = returnedTo.split('?', 1)
  const answer = { pageSecret: page.pageSecret, path, state: url.searchParams.get('state') ?? '' }
  const flow = openFlow(engine, sealed, answer)
  const signedIn = await finish(engine, flow, url, page)
  engine.events.emit({ type: 'signed-in', outcome: 'signed-in' })
  await forgiveAttempt(engine, attempt)
  return signedIn
}

async function finish(
  engine: EngineResources,
  flow: SignInFlow,
  url: URL,
  page: SigningPage,
): Promise<SignedIn> {
  const { tenantId, name, issuer } = flow
  // Before the provider is asked: a code must not be tried twice, even if we are stopped in between.
  const isFirst = await engine.database.forTenant(tenantId, (transaction) =>
    new PersonStore(transaction).finish(hashSecret(flow.state), flow.expiresAt),
  )
  if (!isFirst) throw signInExpired()
  const { document, client } = await requireClient(engine, tenantId, name)
  if (document.issuer !== issuer) throw signInExpired()
  const claims = await noteFailure(engine, flow, page, () => askProvider(engine, flow, url, client))
  const subject = String(claims['sub'])
  const decision = decidePerson(document, claims)
  if (decision.type === 'refused') {
    throw note(engine, flow, page, new SkeinError('SIGN_IN_REFUSED', { message: decision.because }))
  }
  const createdAt = engine.clock.now()
  const { account, role, teams } = decision
  return engine.database.forTenant(tenantId, async (transaction) => {
    // While the provider was asked, its sessions may have been ended: this one must not begin after that.
    const current = await lockUsable(transaction, name)
    if (!current || endsSessions({ ...document }, { ...current })) throw signInExpired()
    const key = await savePerson(engine, transaction, {
      identityProvider: name,
      issuer,
      subject,
      ownerProvider: 'PROVIDER_IDP_OIDC',
      account,
      role,
      teams,
      at: createdAt,
    })
    return openSession(engine, transaction, page, {
      caller: toCaller(key),
      keyId: key.keyId,
      createdAt,
      expiresAt: createdAt + (parseDuration(document.sessionDuration) ?? 0),
      providerSession: providerSessionOf(claims),
    })
  })
}

/** Exchanges the code and returns the claims, of the ID token first. */
async function askProvider(
  { identityProviders }: EngineResources,
  { nonce, state, verifier }: SignInFlow,
  url: URL,
  client: Awaited<ReturnType<typeof requireClient>>['client'],
): Promise<Document> {
  const config = await identityProviders.forFinish(client)
  const tokens = await oidc.authorizationCodeGrant(config, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (!claims || !isIdentifier(claims.sub)) {
    throw new SkeinError('SIGN_IN_INVALID', { message: 'The identity provider named no person.' })
  }
  if (config.serverMetadata().userinfo_endpoint === undefined) return { ...claims }
  const more: unknown = await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)
  return { ...(isDocument(more) && more), ...claims }
}

/** The page says where it was sent; what comes before the path is ours. */
function readReturn({ publicUrl }: EngineResources, returnedTo: string): URL {
  const url = URL.parse(publicUrl + returnedTo)
  if (url?.origin !== new URL(publicUrl).origin) throw signInExpired()
  return url
}

function providerSessionOf({ sid }: Document): string | undefined {
  return isIdentifier(sid) ? sid : undefined
}

async function noteFailure<Value>(
  engine: EngineResources,
  flow: SignInFlow,
  page: SigningPage,
  ask: () => Promise<Value>,
): Promise<Value> {
  try {
    return await ask()
  } catch (error) {
    throw note(engine, flow, page, toSignInError(error))
  }
}

/** In the tenant's audit, so that its admins see who was turned away and why. */
function note(
  { auditTrail, clock, events }: EngineResources,
  { tenantId, name }: SignInFlow,
  { address, requestId }: SigningPage,
  error: SkeinError,
): SkeinError {
  const outcome = error.reason === 'IDENTITY_PROVIDER_UNAVAILABLE' ? 'unavailable' : 'refused'
  events.emit({ type: 'signed-in', outcome })
  auditTrail.noteLater({
    tenantId,
    at: clock.now(),
    operation: 'refuseSignIn',
    kind: 'identity-provider',
    name,
    ownerProvider: 'PROVIDER_IDP_OIDC',
    account: '',
    role: '',
    token: '',
    justification: '',
    requestId,
    address: addressBlock(address),
    detail: error.message,
  })
  return error
}
