import {
  ConfigError,
  decodeBase64,
  encodeBase64Text,
  parseJson,
  SkeinError,
  token as tokenKind,
  type Provider,
  type Tenant,
} from '@skein/contract'
import { isDocument, type Caller } from '@skein/core'
import { createTenant, type Transaction } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import { writeResource } from './catalog/write-resource.ts'
import type { EngineResources } from './resources.ts'

export interface Bootstrap {
  readonly tenant: Tenant
  readonly ownerProvider: Provider
  readonly account: string
  readonly role: 'admin' | 'operator' | 'runner'
  /** The pools of a runner. */
  readonly pools?: readonly string[]
  /** Name of the token resource. */
  readonly token: string
}

export interface BootstrapResult {
  readonly tenantId: string
  readonly isNewTenant: boolean
  /** Only set if this call created the token: a key can be shown only once. */
  readonly key: string | undefined
}

/**
 * Creates the first tenant and a key for it. Needs the owner login, because a server may not create tenants. Running
 * it again, or twice at once, changes nothing.
 */
export async function bootstrap(engine: EngineResources, wanted: Bootstrap): Promise<BootstrapResult> {
  const { id, isNew, isClosed } = await engine.database.withoutTenant((transaction: Transaction) =>
    createTenant(transaction, uuidV7(), wanted.tenant),
  )
  if (isClosed)
    throw new ConfigError(
      `The tenant ${wanted.tenant.org} is being deleted. Run delete-tenant to the end first.`,
    )
  const caller: Caller = {
    tenantId: id,
    tenant: wanted.tenant,
    ownerProvider: wanted.ownerProvider,
    account: wanted.account,
    role: 'operator',
    token: 'bootstrap',
    pools: [],
    servesAllTenants: false,
  }
  const document = {
    description: 'Created by bootstrap.',
    account: wanted.account,
    ownerProvider: wanted.ownerProvider,
    role: wanted.role,
    ...(wanted.role === 'runner' && { pools: wanted.pools ?? [] }),
  }
  const key = await createToken(engine, caller, wanted.token, encodeBase64Text(JSON.stringify(document)))
  return { tenantId: id, isNewTenant: isNew, key }
}

async function createToken(
  engine: EngineResources,
  caller: Caller,
  name: string,
  payload: string,
): Promise<string | undefined> {
  try {
    const { answer, isReplay } = await writeResource(
      engine,
      { caller, tenantId: caller.tenantId, requestId: `bootstrap-${uuidV7()}` },
      {
        kind: tokenKind,
        name,
        payload,
        updateMask: '',
        ifGenerationMatch: 0n,
        justification: 'The first key of the tenant.',
      },
    )
    return isReplay ? undefined : keyIn(answer.payload)
  } catch (error) {
    if (error instanceof SkeinError && error.reason === 'GENERATION_MISMATCH') return undefined
    throw error
  }
}

function keyIn(payload: string): string | undefined {
  const bytes = decodeBase64(payload)
  const parsed = bytes && parseJson(bytes)
  const key = parsed?.ok && isDocument(parsed.value) ? parsed.value['key'] : undefined
  return typeof key === 'string' ? key : undefined
}
