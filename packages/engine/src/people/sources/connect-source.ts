import { apiUrlOf } from '@skein/core'
import type { EngineResources } from '../../resources.ts'
import type { UsableProvider } from '../find-provider.ts'
import { GITEA_PEOPLE } from './gitea-people.ts'
import { GITHUB_PEOPLE } from './github-people.ts'
import { OAuthHost } from './oauth-host.ts'
import { OpenIdConnect } from './openid-connect.ts'
import type { PeopleSource } from './people-source.ts'

const HOSTS = { gitea: GITEA_PEOPLE, github: GITHUB_PEOPLE }
/** What documents have unless they say otherwise, and no code host knows. */
const OF_OPENID_CONNECT = new Set(['openid', 'email', 'profile'])

/** What people sign in with. Without the secret, only to send them there. */
export function connectSource(
  { identityProviders, clock }: EngineResources,
  { document, host }: UsableProvider,
  secret: string,
): PeopleSource {
  if (!host) {
    const skewSeconds = Math.round((clock.now() - Date.now()) / 1000)
    return new OpenIdConnect(identityProviders, document, { secret, skewSeconds })
  }
  return new OAuthHost(identityProviders, HOSTS[host.type], {
    url: host.url,
    apiUrl: apiUrlOf(host),
    clientId: document.clientId,
    secret,
    scopes: document.scopes.filter((scope) => !OF_OPENID_CONNECT.has(scope)),
  })
}
