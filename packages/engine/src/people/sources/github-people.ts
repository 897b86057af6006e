import {
  numberAt,
  readPages,
  textAt,
  toHostPerson,
  type HostApi,
  type HostKind,
  type HostPerson,
} from './oauth-host.ts'

const PAGE = { size: 100, most: 10, isSizeKept: true }

/** GitHub and GitHub Enterprise. Lists only organizations that have approved the application. */
export const GITHUB_PEOPLE: HostKind = {
  authorizePath: '/login/oauth/authorize',
  tokenPath: '/login/oauth/access_token',
  issuerPath: '/login/oauth',
  scopes: ['read:org'],
  pullRequestScopes: ['repo'],

  revocation(token, { clientId, secret }) {
    const authorization = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`
    return {
      path: `/applications/${encodeURIComponent(clientId)}/token`,
      init: {
        method: 'DELETE',
        headers: { authorization, 'content-type': 'application/json', 'user-agent': 'skein' },
        body: JSON.stringify({ access_token: token }),
      },
    }
  },

  async readPerson(api: HostApi): Promise<HostPerson> {
    const user = await api.read('/user')
    const memberships = await readPages(
      api,
      (page) => `/user/memberships/orgs?state=active&per_page=${PAGE.size}&page=${page}`,
      PAGE,
    )
    const active = memberships.filter((membership) => textAt(membership, 'state') === 'active')
    const teams = await readPages(api, (page) => `/user/teams?per_page=${PAGE.size}&page=${page}`, PAGE)
    return toHostPerson(
      user,
      active.map((membership) => ({
        name: textAt(membership, 'organization', 'login'),
        id: numberAt(membership, 'organization', 'id'),
      })),
      teams.map((team) => ({
        name: `${textAt(team, 'organization', 'login')}:${textAt(team, 'slug')}`,
        id: numberAt(team, 'organization', 'id'),
      })),
    )
  },
}
