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
export function connectSource(engine: EngineResources, usable: UsableProvider, secret: string): PeopleSource {
  const { identityProviders, clock } = engine
  const skewSeconds = Math.round((clock.now() - Date.now()) / 1000)
  return (
    connectHost(engine, usable, secret) ??
    new OpenIdConnect(identityProviders, usable.document, { secret, skewSeconds })
  )
}

/** Undefined for an OpenID Connect provider. */
export function connectHost(
  { identityProviders, clock }: EngineResources,
  { document, host }: UsableProvider,
  secret: string,
): OAuthHost | undefined {
  if (!host) return undefined
  return new OAuthHost(identityProviders, HOSTS[host.type], {
    type: host.type,
    url: host.url,
    apiUrl: apiUrlOf(host),
    isUsualApi: apiUrlOf(host) === apiUrlOf({ ...host, apiUrl: '' }),
    clientId: document.clientId,
    secret,
    scopes: document.scopes.filter((scope) => !OF_OPENID_CONNECT.has(scope)),
    opensPullRequests: document.opensPullRequests,
    now: () => clock.now(),
  })
}
