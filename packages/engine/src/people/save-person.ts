import { SkeinError, type Provider } from '@skein/contract'
import { KEY_PREFIXES } from '@skein/contract/facts'
import {
  findKey,
  KeyStore,
  PersonStore,
  type KeyRecord,
  type Listing,
  type PersonRef,
  type Transaction,
} from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { mintKey, newKeyId } from '../access/keys.ts'

const MAX_SUFFIX = 50

interface WantedPerson extends PersonRef {
  readonly ownerProvider: Provider
  /** For the first sign-in. */
  readonly account: string
  readonly role: string
  /** From team to role. */
  readonly teams: Readonly<Record<string, string>>
  /** Likewise, by the groups of a directory. */
  readonly directoryTeams?: Readonly<Record<string, string>>
  readonly listed?: Listing
  readonly at: number
}

/** The key that a person's sessions stand for, with the role and the teams that they have now. */
export async function savePerson(
  engine: EngineResources,
  transaction: Transaction,
  wanted: WantedPerson,
): Promise<KeyRecord> {
  const people = new PersonStore(transaction)
  await people.lock()
  const known = await people.find(wanted)
  // Whatever way they come: only the directory that says that they left can say that they are back.
  if (known?.isDeactivated && wanted.listed?.userId === undefined) {
    throw new SkeinError('SIGN_IN_REFUSED', { message: 'Your account has been deactivated.' })
  }
  if (known?.isLinkedToLeaver) {
    throw new SkeinError('SIGN_IN_REFUSED', {
      message: 'An account that you linked to yours has been deactivated.',
    })
  }
  const account = known?.account ?? (await freeAccount(people, wanted))
  const keyId =
    (await usableKey(transaction, known?.keyId)) ??
    (await addKey(engine, transaction, { ...wanted, account }))
  const { role, teams, directoryTeams = {}, listed = {} } = wanted
  await new KeyStore(transaction).setPerson(keyId, { role, teams, directoryTeams })
  await people.save(wanted, { ...wanted, account, keyId, listed })
  const key = await findKey(transaction, keyId)
  if (!key) throw new Error('A key that was just written can be found')
  return key
}

/** A provider that was deleted and written again has none: its old keys stay revoked. */
async function usableKey(transaction: Transaction, keyId: string | undefined): Promise<string | undefined> {
  const key = keyId === undefined ? undefined : await findKey(transaction, keyId)
  return key && !key.isRevoked ? key.keyId : undefined
}

async function addKey(
  engine: EngineResources,
  transaction: Transaction,
  { identityProvider, ownerProvider, account, role, at }: WantedPerson,
): Promise<string> {
  const keyId = newKeyId(engine)
  // The key itself is dropped here: only sessions use it.
  const { secretSha256 } = mintKey(engine, KEY_PREFIXES.apiKey, keyId)
  const owner = { kind: 'identity-provider', name: identityProvider }
  await new KeyStore(transaction).add(
    owner,
    { keyId, prefix: KEY_PREFIXES.apiKey, secretSha256 },
    {
      keyVersion: 1,
      ownerProvider,
      account,
      role,
      pools: [],
      allTenants: false,
      expiresAt: undefined,
      revoked: false,
    },
    at,
  )
  return keyId
}

/**
 * Somebody else may have had the name: another subject, a person of another provider, or a program. They never share an
 * account. Tokens do: that is how people have keys for their scripts. But at a code host, people name themselves.
 */
async function freeAccount(
  people: PersonStore,
  { ownerProvider, account: wanted }: WantedPerson,
): Promise<string> {
  const names = [wanted, ...Array.from({ length: MAX_SUFFIX }, (_none, index) => `${wanted}-${index + 2}`)]
  const kinds =
    ownerProvider === 'PROVIDER_CODEHOST_OAUTH' ? ['workload-identity', 'token'] : ['workload-identity']
  const taken = await people.takenAccounts(ownerProvider, names, kinds)
  const free = names.find((name) => !taken.has(name))
  if (free === undefined) throw new Error('Fifty people of a tenant have the same account name')
  return free
}
