import { SkeinError, type Provider } from '@skein/contract'
import { addressBlock, endsSessions, isOtherHost, type Document, type VouchedGroups } from '@skein/core'
import { PersonStore, type KeyRecord, type PersonRef, type Transaction } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { hashSecret } from '../access/keys.ts'
import type { SigningPage } from '../access/open-session.ts'
import { decideSignIn } from './decide-sign-in.ts'
import { lockUsable, requireClient, type UsableProvider } from './find-provider.ts'
import { pinOrganizations, readVouched } from './pin-organizations.ts'
import { toSignInError } from './provider-errors.ts'
import { savePerson } from './save-person.ts'
import { openFlow, signInExpired, type FlowPurpose, type SignInFlow } from './sign-in-flow.ts'
import { connectSource } from './sources/connect-source.ts'
import type { PersonGrant } from './sources/people-source.ts'
import { withDeadline } from './with-deadline.ts'

export interface Returned extends SigningPage {
  /** The cookie that was set at the start. */
  readonly flow: string | undefined
  /** Path and query. */
  readonly returnedTo: string
}

/** Somebody whom a provider named to this browser a moment ago. */
export interface ProvenPerson {
  readonly flow: SignInFlow
  readonly usable: UsableProvider
  readonly ownerProvider: Provider
  readonly person: PersonRef
  readonly vouched: VouchedGroups
  readonly claims: Document
  /** What lets us act for them there, if it is a code host. */
  readonly grant: PersonGrant | undefined
}

/** The flow of this browser and page, and what the provider answered. */
export function openReturn(
  engine: EngineResources,
  purpose: FlowPurpose,
  { flow, returnedTo, pageSecret }: Returned,
): { readonly flow: SignInFlow; readonly url: URL } {
  const url = readReturn(engine, returnedTo)
  const [path = ''] = returnedTo.split('?', 1)
  const answer = { pageSecret, path, state: url.searchParams.get('state') ?? '' }
  return { flow: openFlow(engine, purpose, flow, answer), url }
}

/** Asks the provider who the person is. Works once. */
export async function provePerson(
  engine: EngineResources,
  { flow, url }: ReturnType<typeof openReturn>,
  page: SigningPage,
): Promise<ProvenPerson> {
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
  const vouched = await readVouched(engine, tenantId, { identityProvider: name, issuer }, usable, said)
  const { claims } = vouched
  const person = { identityProvider: name, issuer, subject: String(claims['sub']) }
  return { flow, usable, ownerProvider, person, vouched, claims, grant }
}

/** Their account and its key, with the role and teams that they have now. Nobody else is admitted meanwhile. */
export async function admitPerson(
  engine: EngineResources,
  transaction: Transaction,
  proven: ProvenPerson,
  { page, at }: { readonly page: SigningPage; readonly at: number },
): Promise<KeyRecord> {
  const { flow, usable, ownerProvider, person, vouched, claims } = proven
  // While the provider was asked, its sessions may have been ended: nothing must begin after that.
  const current = await lockUsable(transaction, flow.name)
  if (!current || isChanged(usable, current)) throw signInExpired()
  if (!(await pinOrganizations(transaction, person, vouched))) throw signInExpired()
  const { decision, listed } = await decideSignIn(transaction, current.document, person, claims)
  if (decision.type === 'refused') {
    const refusal = new SkeinError('SIGN_IN_REFUSED', { message: decision.because })
    throw note(engine, { ...flow, ownerProvider }, page, refusal)
  }
  return savePerson(engine, transaction, { ...person, ...decision, ownerProvider, listed, at })
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
