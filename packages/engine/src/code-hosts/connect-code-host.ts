import type { CodeHostDocument } from '@skein/contract'
import { apiUrlOf } from '@skein/core'
import { SealedValueStore } from '@skein/store'
import { findCodeHost } from '../catalog/find-code-host.ts'
import { placeOf } from '../catalog/secrets.ts'
import type { EngineResources } from '../resources.ts'
import { CodeHostError, type CodeHost, type HostFetch } from './code-host.ts'
import { Gitea } from './hosts/gitea.ts'
import { GitHub } from './hosts/github.ts'

/** A code host as its document is now, with its secret. */
export async function connectCodeHost(
  { database, vault, clock }: EngineResources,
  fetch: HostFetch,
  tenantId: string,
  name: string,
): Promise<{
  readonly host: CodeHost
  readonly document: CodeHostDocument
  /** The same host, as a person who signed in there. */
  readonly as: (token: string) => CodeHost
}> {
  const { document, sealed } = await database.forTenant(tenantId, async (transaction) => {
    const found = await findCodeHost(transaction, name)
    const ref = { kind: 'secret', name: found?.credential ?? '' }
    return { document: found, sealed: found && (await new SealedValueStore(transaction).find(ref)) }
  })
  if (!document) throw new CodeHostError(`The code host ${name} cannot be read: write it again.`, FINAL)
  const { type, appId, credential } = document
  if (sealed === undefined) throw new CodeHostError(`The secret ${credential} has no value.`, FINAL)
  const secret = vault.open(sealed, placeOf(tenantId, { kind: 'secret', name: credential }))
  const connection = { apiUrl: apiUrlOf(document), fetch, now: () => clock.now() }
  const connect = (personToken?: string) =>
    type === 'gitea'
      ? new Gitea({ ...connection, token: personToken ?? secret.trim() })
      : new GitHub({ ...connection, appId, privateKey: secret, personToken })
  return { host: connect(), document, as: connect }
}

const FINAL = { isFinal: true }
