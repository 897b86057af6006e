import {
  numberAt,
  readPages,
  textAt,
  toHostPerson,
  type HostApi,
  type HostKind,
  type HostPerson,
} from './oauth-host.ts'

/** Who runs it sets how large a page can be (`MAX_RESPONSE_ITEMS`). */
const PAGE = { size: 50, most: 20, isSizeKept: false }

/** Gitea and Forgejo. */
export const GITEA_PEOPLE: HostKind = {
  authorizePath: '/login/oauth/authorize',
  tokenPath: '/login/oauth/access_token',
  issuerPath: '',
  scopes: ['read:user', 'read:organization'],
  pullRequestScopes: ['write:repository'],

  async readPerson(api: HostApi): Promise<HostPerson> {
    const user = await api.read('/user')
    const organizations = await readPages(api, (page) => `/user/orgs?limit=${PAGE.size}&page=${page}`, PAGE)
    const teams = await readPages(api, (page) => `/user/teams?limit=${PAGE.size}&page=${page}`, PAGE)
    return toHostPerson(
      user,
      organizations.map((found) => ({ name: textAt(found, 'username'), id: numberAt(found, 'id') })),
      teams.map((found) => ({
        name: `${textAt(found, 'organization', 'username')}:${textAt(found, 'name')}`,
        id: numberAt(found, 'organization', 'id'),
      })),
    )
  },
}
