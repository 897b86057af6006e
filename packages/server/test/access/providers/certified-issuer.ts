import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider, type AccountClaims, type ClientMetadata } from 'oidc-provider'

type User = Omit<AccountClaims, 'sub'>

export interface CertifiedIssuer {
  readonly issuer: string
  readonly users: Record<string, User>
  close(): Promise<void>
}

/**
 * A certified OpenID Connect provider in this process. It has no pages: whoever asks is signed in as the user named in
 * `login_hint`, or the first one.
 */
export async function startCertifiedIssuer(
  users: Record<string, User>,
  clients: readonly ClientMetadata[],
): Promise<CertifiedIssuer> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${portOf(server)}`
  const provider = new Provider(issuer, {
    clients: [...clients],
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (context, form) => void (context.body = form),
      },
    },
    claims: {
      openid: ['sub', 'sid'],
      profile: ['name', 'preferred_username'],
      email: ['email', 'email_verified'],
      groups: ['groups'],
    },
    scopes: ['openid', 'profile', 'email', 'groups'],
    pkce: { required: () => true },
    findAccount: (_context, sub) => users[sub] && { accountId: sub, claims: () => ({ sub, ...users[sub] }) },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ['test-only'] },
  })
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) {
      void answer(request, response)
      return
    }
    void (async () => {
      const { params, session } = await provider.interactionDetails(request, response)
      const hint = params['login_hint']
      const [first = ''] = Object.keys(users)
      const accountId = session?.accountId ?? (typeof hint === 'string' ? hint : first)
      const grant = new provider.Grant({ accountId, clientId: String(params['client_id']) })
      grant.addOIDCScope(String(params['scope']))
      const result = { login: { accountId }, consent: { grantId: await grant.save() } }
      await provider.interactionFinished(request, response, result)
    })()
  })
  return {
    issuer,
    users,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}
