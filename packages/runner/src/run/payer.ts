import type { Assignment } from '@skein/contract'
import type { ModelGateway } from '../gateway/model-gateway.ts'
import type { ProviderName } from '../gateway/provider.ts'

const VARIABLES: Readonly<Record<ProviderName, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
}

type Paid = Pick<Assignment, 'backend' | 'providerKey'>

/** Names the paying key and where it is stored, for the person who has to replace it. */
export function nameKey(
  { backend, providerKey }: Paid,
  provider: ProviderName | undefined,
  runner: string,
): string {
  if (providerKey) return `the key in the secret ${providerKey.secret}, which the backend ${backend} names`
  const variable = provider ? VARIABLES[provider] : Object.values(VARIABLES).join(' or ')
  return `${variable} of the runner ${runner}`
}

/** Why there is no key, and whether another runner may have one; undefined if there is one. */
export function findMissingKey(
  { backend, providerKey }: Paid,
  provider: ProviderName | undefined,
  gateway: Pick<ModelGateway, 'hasKey'>,
): { readonly message: string; readonly isOurs: boolean } | undefined {
  if (providerKey) {
    if (providerKey.value !== '') return undefined
    const message = `The backend ${backend} names the secret ${providerKey.secret} for its key, but that secret does not exist. Create it, or remove it from the backend.`
    return { message, isOurs: false }
  }
  if (provider === undefined || gateway.hasKey(provider)) return undefined
  const message = `This runner has no ${VARIABLES[provider]}, and the backend ${backend} names no secret with a key. Create a secret, and name it as the backend’s credential.`
  return { message, isOurs: true }
}
