import { numberAt, readPages, textAt, type HostApi, type HostKind, type HostPerson } from './oauth-host.ts'

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
    const known = organizations
      .map((found) => ({ name: textAt(found, 'username'), id: numberAt(found, 'id') }))
      .filter(({ name, id }) => name !== '' && id !== '')
    const ids = new Set(known.map(({ id }) => id))
    return {
      id: typeof user === 'object' && user !== null ? Reflect.get(user, 'id') : undefined,
      login: textAt(user, 'login'),
      organizations: known,
      teams: teams
        .map((found) => ({
          name: `${textAt(found, 'organization', 'username')}:${textAt(found, 'name')}`,
          id: numberAt(found, 'organization', 'id'),
        }))
        .filter(({ id }) => ids.has(id)),
    }
  },
}
