import { readPages, textAt, type HostApi, type HostKind, type HostPerson } from './oauth-host.ts'

const PAGE = { size: 50, most: 10 }

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
    const inOrganizations = organizations.map((found) => textAt(found, 'username'))
    const inTeams = teams.map((found) => [textAt(found, 'organization', 'username'), textAt(found, 'name')])
    return {
      id: typeof user === 'object' && user !== null ? Reflect.get(user, 'id') : undefined,
      login: textAt(user, 'login'),
      groups: [
        ...inOrganizations.filter((name) => name !== ''),
        ...inTeams.filter((names) => !names.includes('')).map((names) => names.join(':')),
      ],
    }
  },
}
