import type { DirectoryDocument, IdentityProviderDocument } from '@skein/contract'
import { parseDocument, ScimError, type Caller } from '@skein/core'
import {
  CatalogStore,
  DirectoryGroupStore,
  DirectoryUserStore,
  findDirectoryList,
  PersonStore,
  type Transaction,
} from '@skein/store'
import { recordAudit } from '../audit/record-audit.ts'
import { untilKnown } from '../commands/command.ts'
import { findDirectory } from '../people/find-directory.ts'
import type { EngineResources } from '../resources.ts'

const PREFIX = 'directory/'
const PROVIDER = 'identity-provider'

/** Who sends a SCIM request. */
export interface ScimRequest {
  readonly caller: Caller
  readonly requestId: string
  readonly address: string
}

/** A directory in one transaction. */
export interface OpenDirectory {
  readonly transaction: Transaction
  readonly name: string
  readonly users: DirectoryUserStore
  readonly groups: DirectoryGroupStore
}

export interface ChangingDirectory extends OpenDirectory {
  readonly people: PersonStore
  readonly directory: DirectoryDocument
  readonly provider: IdentityProviderDocument
  readonly request: ScimRequest
  readonly at: number
}

/** The key names its directory: there is no way to ask for another one. */
function directoryOf({ token }: Caller): string {
  if (!token.startsWith(PREFIX)) throw gone()
  return token.slice(PREFIX.length)
}

export function readDirectory<Result>(
  { database }: EngineResources,
  { caller }: ScimRequest,
  read: (directory: OpenDirectory) => Promise<Result>,
): Promise<Result> {
  const name = directoryOf(caller)
  return database.forTenant(caller.tenantId, async (transaction) => read(await open(transaction, name)))
}

/** One change at a time in a tenant, and none while somebody signs in. */
export function changeDirectory<Result>(
  { database, clock }: EngineResources,
  request: ScimRequest,
  change: (directory: ChangingDirectory) => Promise<Result>,
): Promise<Result> {
  const { caller } = request
  const name = directoryOf(caller)
  return untilKnown(() =>
    database.forTenant(caller.tenantId, async (transaction) => {
      const catalog = new CatalogStore(transaction)
      await catalog.lockReferences([
        { kind: 'directory', name },
        { kind: PROVIDER, name },
      ])
      const people = new PersonStore(transaction)
      await people.lock()
      const directory = await findDirectory(transaction, name)
      const provider = (await catalog.find({ kind: PROVIDER, name }))?.document
      if (!directory || !provider) throw gone()
      return change({
        ...(await open(transaction, name)),
        people,
        directory,
        provider: parseDocument(PROVIDER, name, provider),
        request,
        at: clock.now(),
      })
    }),
  )
}

/** In the tenant's audit, in the same transaction. */
export async function recordScim(
  { transaction, request, at }: ChangingDirectory,
  operation: string,
  { kind, name }: { readonly kind: 'directory-user' | 'directory-group'; readonly name: string },
): Promise<void> {
  await recordAudit(transaction, request, { operation, kind, name, at })
}

async function open(transaction: Transaction, name: string): Promise<OpenDirectory> {
  const list = await findDirectoryList(transaction, name)
  return {
    transaction,
    name,
    users: new DirectoryUserStore(transaction, list),
    groups: new DirectoryGroupStore(transaction, list),
  }
}

function gone(): ScimError {
  return new ScimError(401, 'The directory has been deleted.')
}
