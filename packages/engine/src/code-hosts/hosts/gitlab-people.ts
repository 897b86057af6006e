import { isSameText, type HostPermission } from '@skein/core'
import type { Fields, GitLabApi } from './gitlab-api.ts'
import { usernameOf } from './gitlab-fields.ts'
import { fieldsOf, idOf } from './to-conversation.ts'

const DEVELOPER = 30
const MAINTAINER = 40

const REREVIEW = `mutation ($projectPath: ID!, $iid: String!, $userId: UserID!) {
  mergeRequestReviewerRereview(input: { projectPath: $projectPath, iid: $iid, userId: $userId }) { errors }
}`

/** People on GitLab. Names change hands, numbers do not: where a text came with its author's, that is used. */
export class GitLabPeople {
  readonly #api: GitLabApi
  readonly #ids = new Map<string, string>()

  constructor(api: GitLabApi) {
    this.#api = api
  }

  note(user: unknown): void {
    const id = idOf(fieldsOf(user)['id'])
    if (id !== '') this.#ids.set(usernameOf(user).toLowerCase(), id)
  }

  /** Empty if there is nobody of that name. */
  async idOf(login: string): Promise<string> {
    const known = this.#ids.get(login.toLowerCase())
    if (known !== undefined) return known
    const found = await this.#api.list('/users', { username: login })
    const user = found.find((each) => isSameText(usernameOf(each), login))
    if (user) this.note(user)
    return idOf(user?.['id'])
  }

  /** By their membership in the project or any group above it. Programs have none. */
  async readPermission(project: string, login: string): Promise<HostPermission> {
    const id = await this.idOf(login)
    if (id === '') return 'none'
    const member = await this.#api.find(`${project}/members/all/${id}`)
    const permission = member ? toPermission(member) : 'none'
    if (permission !== 'write' && permission !== 'admin') return permission
    const user = await this.#api.find(`/users/${id}`)
    return user?.['bot'] === false ? permission : 'none'
  }

  /** Only GraphQL can ask somebody again. */
  async askAgain(place: { projectPath: string; iid: string }, id: string): Promise<unknown> {
    const variables = { ...place, userId: `gid://gitlab/User/${id}` }
    const answer = await this.#api.graph(REREVIEW, variables)
    const { errors } = fieldsOf(answer['mergeRequestReviewerRereview'])
    return Array.isArray(errors) ? errors[0] : undefined
  }
}

function toPermission({ access_level: level, state, membership_state: membership }: Fields): HostPermission {
  if (typeof level !== 'number' || state !== 'active') return 'none'
  if (membership !== undefined && membership !== 'active') return 'none'
  if (level >= MAINTAINER) return 'admin'
  return level >= DEVELOPER ? 'write' : 'read'
}
