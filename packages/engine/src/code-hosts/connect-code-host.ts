import type { CodeHostDocument } from '@skein/contract'
import { apiUrlOf } from '@skein/core'
import { SealedValueStore } from '@skein/store'
import { findCodeHost } from '../catalog/find-code-host.ts'
import { placeOf } from '../catalog/secrets.ts'
import type { EngineResources } from '../resources.ts'
import { CodeHostError, type CodeHost, type HostFetch } from './code-host.ts'
import { Gitea } from './hosts/gitea.ts'
import { GitHub } from './hosts/github.ts'
import { GitLab } from './hosts/gitlab.ts'

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
  const found = await database.forTenant(tenantId, async (transaction) => {
    const document = await findCodeHost(transaction, name)
    const sealed = new Map<string, string | undefined>()
    for (const secret of document ? [document.credential, gitSecretOf(document)] : []) {
      sealed.set(secret, await new SealedValueStore(transaction).find({ kind: 'secret', name: secret }))
    }
    return { document, sealed }
  })
  const { document } = found
  if (!document) throw new CodeHostError(`The code host ${name} cannot be read: write it again.`, FINAL)
  const open = (secret: string): string => {
    const sealed = found.sealed.get(secret)
    if (sealed === undefined) throw new CodeHostError(`The secret ${secret} has no value.`, FINAL)
    return vault.open(sealed, placeOf(tenantId, { kind: 'secret', name: secret }))
  }
  const { type, appId, credential } = document
  const connection = { apiUrl: apiUrlOf(document), fetch, now: () => clock.now() }
  const connect = (personToken?: string): CodeHost => {
    if (type === 'github') {
      return new GitHub({ ...connection, appId, privateKey: open(credential), personToken })
    }
    const token = personToken ?? requireToken(credential, open(credential))
    const gitSecret = gitSecretOf(document)
    const gitToken = () => requireToken(gitSecret, open(gitSecret))
    return new HOSTS[type]({ ...connection, token, gitToken })
  }
  return { host: connect(), document, as: connect }
}

const HOSTS = { gitea: Gitea, gitlab: GitLab }

function gitSecretOf({ credential, gitCredential }: CodeHostDocument): string {
  return gitCredential === '' ? credential : gitCredential
}

/** What a header cannot contain would be in an error's message otherwise. */
function requireToken(secret: string, value: string): string {
  const token = value.trim()
  if (TOKEN.test(token)) return token
  throw new CodeHostError(`The secret ${secret} is not a token.`, FINAL)
}

const TOKEN = /^[!-~]{1,4096}$/
const FINAL = { isFinal: true }
