import { createHash } from 'node:crypto'
import type { Assignment } from '@skein/contract'

/** All secrets given to this run, which must not appear in its reports. */
export function secretsOf({ environment, repos, runKey, providerKey }: Assignment): string[] {
  const credentials = repos.flatMap(({ credential }) => [
    credential,
    credential.slice(credential.indexOf(':') + 1),
  ])
  const keys = providerKey ? [runKey, providerKey.value] : [runKey]
  return [...Object.values(environment.secrets), ...credentials, ...keys]
}

/** Tells whether the environment's secrets have changed, without revealing them. */
export function fingerprintSecrets({ environment }: Assignment): string {
  return createHash('sha256').update(JSON.stringify(environment.secrets)).digest('hex')
}
