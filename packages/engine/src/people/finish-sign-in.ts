import { parseDuration, SkeinError, type Provider } from '@skein/contract'
import { addressBlock, endsSessions, isIdentifier, isOtherHost, type Document } from '@skein/core'
import { PersonStore } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { hashSecret } from '../access/keys.ts'
import { toCaller } from '../access/known-key.ts'
import { openSession, type SignedIn, type SigningPage } from '../access/open-session.ts'
import { chargeAttempt, forgiveAttempt } from '../access/sign-in-limit.ts'
import { decideSignIn } from './decide-sign-in.ts'
import { lockUsable, requireClient, type UsableProvider } from './find-provider.ts'
import { saveGrant } from './grants/save-grant.ts'
import { pinOrganizations, readVouched } from './pin-organizations.ts'
import { toSignInError } from './provider-errors.ts'
import { savePerson } from './save-person.ts'
import { withDeadline } from './with-deadline.ts'
import { openFlow, signInExpired, type SignInFlow } from './sign-in-flow.ts'
import { connectSource } from './sources/connect-source.ts'

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
  const { usable, secret } = await requireClient(engine, tenantId, name)
  const source = connectSource(engine, usable, secret)
  if (source.issuer !== issuer) throw signInExpired()
  const { ownerProvider } = source
  const { claims: said, grant } = await noteFailure(engine, { ...flow, ownerProvider }, page, () =>
    withDeadline(source.finish(url, flow)),
  )
  const { document } = usable
  const vouched = await readVouched(engine, tenantId, { identityProvider: name, issuer }, usable, said)
  const { claims } = vouched
  const createdAt = engine.clock.now()
  return engine.database.forTenant(tenantId, async (transaction) => {
    // While the provider was asked, its sessions may have been ended: this one must not begin after that.
    const current = await lockUsable(transaction, name)
    if (!current || isChanged(usable, current)) throw signInExpired()
    const person = { identityProvider: name, issuer, subject: String(claims['sub']) }
    if (!(await pinOrganizations(transaction, person, vouched))) throw signInExpired()
    const { decision, listed } = await decideSignIn(transaction, current.document, person, claims)
    if (decision.type === 'refused') {
      const refusal = new SkeinError('SIGN_IN_REFUSED', { message: decision.because })
      throw note(engine, { ...flow, ownerProvider }, page, refusal)
    }
    const key = await savePerson(engine, transaction, {
      ...person,
      ...decision,
      ownerProvider,
      listed,
      at: createdAt,
    })
    const expiresAt = createdAt + (parseDuration(document.sessionDuration) ?? 0)
    if (grant) {
      await saveGrant(engine, transaction, { tenantId, person }, { grant, sessionEndsAt: expiresAt })
    }
    return openSession(engine, transaction, page, {
      caller: toCaller(key),
      keyId: key.keyId,
      createdAt,
      expiresAt,
      providerSession: providerSessionOf(claims),
    })
  })
}

function isChanged(before: UsableProvider, after: UsableProvider): boolean {
  if (endsSessions({ ...before.document }, { ...after.document })) return true
  return isOtherHost({ ...before.host }, { ...after.host })
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

interface RefusedFlow extends Pick<SignInFlow, 'tenantId' | 'name'> {
  readonly ownerProvider: Provider
}

async function noteFailure<Value>(
  engine: EngineResources,
  flow: RefusedFlow,
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
  { tenantId, name, ownerProvider }: RefusedFlow,
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
    ownerProvider,
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
