import { SkeinError, type WorkloadIdentityDocument } from '@skein/contract'
import { isName } from '@skein/contract/facts'
import { addressBlock, parseDocument, refuseMoving, StoredDocumentError, unmetCondition } from '@skein/core'
import { CatalogStore, findKey, findOwnHold } from '@skein/store'
import type { JWTPayload } from 'jose'
import { chargeAttempt, forgiveAttempt } from '../access/sign-in-limit.ts'
import { findTenantInPath } from '../access/tenant-in-path.ts'
import { mintWorkloadKey } from '../access/workload-keys.ts'
import type { EngineResources } from '../resources.ts'
import { ProviderUnreachable } from './provider-unreachable.ts'
import { providerUnavailable } from './provider-errors.ts'
import { isTokenOf, verifyToken } from './verify-token.ts'

const KIND = 'workload-identity'
const KEY_MS = 15 * 60_000
const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange'
const TOKEN_TYPES: readonly string[] = [
  'urn:ietf:params:oauth:token-type:jwt',
  'urn:ietf:params:oauth:token-type:id_token',
]
const MAX_SUBJECT = 255

interface ExchangeRequest {
  /** As in the URL: `codehost_app:acme`. */
  readonly tenant: string
  readonly name: string
  readonly body: Uint8Array
  readonly address: string
}

interface Workload {
  readonly tenantId: string
  readonly document: WorkloadIdentityDocument
}

interface ExchangedKey {
  readonly access_token: string
  readonly issued_token_type: string
  readonly token_type: string
  readonly expires_in: number
}

/** A key for a program whose platform vouches for it. */
export async function exchangeToken(
  engine: EngineResources,
  { tenant, name, body, address }: ExchangeRequest,
): Promise<ExchangedKey> {
  const attempt = { address, keyId: undefined }
  await chargeAttempt(engine, attempt)
  const form = new URLSearchParams(Buffer.from(body).toString('utf8'))
  const token = form.get('subject_token') ?? ''
  if (form.get('grant_type') !== GRANT || !TOKEN_TYPES.includes(form.get('subject_token_type') ?? '')) {
    throw new SkeinError('REQUEST_INVALID', {
      message: `The body must be a form with grant_type=${GRANT}, subject_token_type=${TOKEN_TYPES[0]} and subject_token.`,
    })
  }
  const { tenantId, document } = await requireWorkload(engine, tenant, name)
  const claims = await verify(engine, document, token)
  // The key would be of this cell.
  refuseMoving(await engine.database.forTenant(tenantId, findOwnHold))
  const unmet = unmetCondition(document, claims)
  note(engine, { tenantId, document }, { name, address, subject: claims.sub, unmet })
  if (unmet !== undefined) {
    throw new SkeinError('WORKLOAD_REFUSED', {
      message: `The token does not meet the condition for the claim ${unmet}.`,
    })
  }
  const keyId = await requireKey(engine, { tenantId, document }, name)
  await forgiveAttempt(engine, attempt)
  const expiresAt = engine.clock.now() + KEY_MS
  return {
    access_token: mintWorkloadKey(engine, { keyId, expiresAt }),
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    token_type: 'Bearer',
    expires_in: KEY_MS / 1000,
  }
}

/** The same answer for an unknown tenant or name as for a wrong token, so that neither can be tried. */
async function requireWorkload(engine: EngineResources, tenant: string, name: string): Promise<Workload> {
  if (!isName(name)) throw invalidToken()
  const tenantId = await findTenantInPath(engine, tenant)
  const stored = await engine.database.forTenant(tenantId, (transaction) =>
    new CatalogStore(transaction).find({ kind: KIND, name }),
  )
  if (!stored?.document) throw invalidToken()
  try {
    return { tenantId, document: parseDocument(KIND, name, stored.document) }
  } catch (error) {
    if (error instanceof StoredDocumentError) throw invalidToken(error)
    throw error
  }
}

/** A document must never lead to another key than its own. */
async function requireKey(
  { database }: EngineResources,
  { tenantId, document }: Workload,
  name: string,
): Promise<string> {
  const key = await database.statement((transaction) => findKey(transaction, document.keyId ?? ''))
  if (key?.tenantId !== tenantId || key.name !== `${KIND}/${name}`) throw invalidToken()
  return key.keyId
}

async function verify(
  engine: EngineResources,
  document: WorkloadIdentityDocument,
  token: string,
): Promise<JWTPayload & { readonly sub: string }> {
  if (!isTokenOf(token, document.issuer)) throw invalidToken()
  try {
    const claims = await verifyToken(engine, document, token, { requiredClaims: ['exp', 'sub'] })
    const sub: unknown = claims.sub
    if (typeof sub !== 'string') throw invalidToken()
    return { ...claims, sub }
  } catch (error) {
    if (error instanceof ProviderUnreachable) throw providerUnavailable(error)
    throw invalidToken(error)
  }
}

/** Which program got a key, or why not. Counted, because a job may come every minute. */
function note(
  { auditTrail, clock }: EngineResources,
  { tenantId, document }: Workload,
  {
    name,
    address,
    subject,
    unmet,
  }: { name: string; address: string; subject: string; unmet: string | undefined },
): void {
  const { ownerProvider, account, role } = document
  auditTrail.noteLater({
    tenantId,
    at: clock.now(),
    operation: unmet === undefined ? 'exchangeToken' : 'refuseToken',
    kind: KIND,
    name,
    ownerProvider,
    account,
    role,
    token: `${KIND}/${name}`,
    justification: '',
    requestId: '',
    address: addressBlock(address),
    detail: subject.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, MAX_SUBJECT),
  })
}

function invalidToken(cause?: unknown): SkeinError {
  return new SkeinError('WORKLOAD_TOKEN_INVALID', { cause })
}
