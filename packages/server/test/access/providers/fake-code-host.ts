import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DescribedRequests } from '../../code-hosts/described-requests.ts'

export type HostType = 'gitea' | 'github'

export interface HostUser {
  readonly id: unknown
  readonly login: unknown
  /** `acme` for an organization, `acme:payments` for a team. */
  readonly groups: readonly string[]
  /** Invited, but not a member yet. */
  readonly invited?: readonly string[]
}

interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly location?: string
}

interface Code {
  readonly user: string
  readonly challenge: string
  readonly redirectUrl: string
}

/** The sign-in of a code host, and what its API says about people. Whoever asks is signed in as `login_hint`. */
export class FakeCodeHost {
  readonly type: HostType
  readonly url: string
  readonly users: Record<string, HostUser>
  /** The forms that came to its token endpoint. */
  readonly asked: URLSearchParams[] = []
  readonly requests: string[] = []
  /** What it answers to a path of its API instead. */
  readonly instead = new Map<string, Answer>()
  /** Access tokens, with whose they are. */
  readonly tokens = new Map<string, string>()
  /** Each works once. */
  readonly refreshTokens = new Map<string, string>()
  tokenSeconds = 3600
  /** The numbers of organizations; the others have one of their name. */
  readonly organizationIds: Record<string, number> = {}
  /** Who opened a pull request: a user, or the token of somebody else. */
  readonly opened: string[] = []
  /** Users who may not. */
  readonly denied = new Set<string>()
  /** Every token that was sent to its API. */
  readonly bearers: string[] = []
  readonly #codes = new Map<string, Code>()
  readonly #described: DescribedRequests
  readonly #stop: () => Promise<void>

  private constructor(
    type: HostType,
    users: Record<string, HostUser>,
    { url, stop }: { readonly url: string; readonly stop: () => Promise<void> },
  ) {
    this.type = type
    this.users = users
    this.url = url
    this.#stop = stop
    this.#described = new DescribedRequests(`${url}/api/v3`)
  }

  static async start(type: HostType, users: Record<string, HostUser>): Promise<FakeCodeHost> {
    const server = createServer((request, response) => {
      void host.#respond(request).then(({ status, body, location }) => {
        response.writeHead(status, {
          'content-type': 'application/json',
          ...(location !== undefined && { location }),
        })
        response.end(body === undefined ? '' : JSON.stringify(body))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const host: FakeCodeHost = new FakeCodeHost(type, users, {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      stop: async () => {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      },
    })
    return host
  }

  async close(): Promise<void> {
    await this.#stop()
    this.#described.requireNone()
  }

  async #respond(request: IncomingMessage): Promise<Answer> {
    const url = new URL(request.url ?? '', this.url)
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString('utf8')
    this.requests.push(`${request.method} ${url.pathname}`)
    if (url.pathname === '/login/oauth/authorize') return this.#authorize(url)
    if (url.pathname === '/login/oauth/access_token') return this.#exchange(new URLSearchParams(text))
    this.#described.note(url, { method: request.method ?? '', ...(text !== '' && { body: text }) })
    const path = url.pathname.replace(this.type === 'gitea' ? '/api/v1' : '/api/v3', '')
    const instead = this.instead.get(path)
    if (instead) return instead
    if (request.method === 'DELETE') return this.#revoke(JSON.parse(text) as { access_token: string })
    const bearer = String(request.headers.authorization).replace(/^\w+ /, '')
    this.bearers.push(bearer)
    if (path.includes('/pulls')) return this.#pulls(bearer, request.method ?? '', text)
    const user = this.users[this.tokens.get(bearer) ?? '']
    if (!user) return { status: 401, body: { message: 'Bad credentials' } }
    return this.#describe(user, path, Number(url.searchParams.get('page') ?? 1))
  }

  #authorize({ searchParams }: URL): Answer {
    const code = randomBytes(12).toString('hex')
    const redirectUrl = searchParams.get('redirect_uri') ?? ''
    this.#codes.set(code, {
      user: searchParams.get('login_hint') ?? Object.keys(this.users)[0] ?? '',
      challenge: searchParams.get('code_challenge') ?? '',
      redirectUrl,
    })
    const back = new URL(redirectUrl)
    back.searchParams.set('code', code)
    back.searchParams.set('state', searchParams.get('state') ?? '')
    return { status: 302, location: back.href }
  }

  #exchange(form: URLSearchParams): Answer {
    this.asked.push(form)
    if (form.get('client_id') !== 'skein' || form.get('client_secret') !== 's3cret') {
      return this.#refuse('invalid_client')
    }
    if (form.get('grant_type') === 'refresh_token') {
      const user = this.refreshTokens.get(form.get('refresh_token') ?? '')
      this.refreshTokens.delete(form.get('refresh_token') ?? '')
      return user === undefined ? this.#refuse('invalid_grant') : this.#issue(user)
    }
    const code = this.#codes.get(form.get('code') ?? '')
    this.#codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isRight = code?.challenge === challenge && code.redirectUrl === form.get('redirect_uri')
    return isRight ? this.#issue(code.user) : this.#refuse('bad_verification_code')
  }

  /** GitHub answers 200 to what it refuses. */
  #refuse(error: string): Answer {
    return { status: this.type === 'github' ? 200 : 400, body: { error } }
  }

  #issue(user: string): Answer {
    const [access, refresh] = [
      `at_${randomBytes(12).toString('hex')}`,
      `rt_${randomBytes(12).toString('hex')}`,
    ]
    this.tokens.set(access, user)
    this.refreshTokens.set(refresh, user)
    return {
      status: 200,
      body: {
        access_token: access,
        token_type: 'bearer',
        expires_in: this.tokenSeconds,
        refresh_token: refresh,
      },
    }
  }

  #revoke({ access_token: token }: { readonly access_token: string }): Answer {
    return { status: this.tokens.delete(token) ? 204 : 404 }
  }

  /** None is open, and each that is opened is the first. */
  #pulls(bearer: string, method: string, text: string): Answer {
    if (method !== 'POST') return { status: 404, body: {} }
    const by = this.tokens.get(bearer) ?? bearer
    if (this.denied.has(by)) return { status: 403, body: { message: 'not allowed' } }
    this.opened.push(by)
    const { title, body, head, base } = JSON.parse(text) as Record<string, string>
    return {
      status: 201,
      body: {
        number: this.opened.length,
        title,
        body,
        state: 'open',
        head: { ref: head },
        base: { ref: base },
      },
    }
  }

  #idOf(organization: string): number {
    return this.organizationIds[organization.toLowerCase()] ?? organization.length * 1000
  }

  #describe({ id, login, groups, invited = [] }: HostUser, path: string, page: number): Answer {
    const organizations = groups.filter((group) => !group.includes(':'))
    const teams = groups.map((group) => group.split(':')).filter(([, team]) => team !== undefined)
    const lists: Record<string, unknown[]> =
      this.type === 'gitea'
        ? {
            '/user/orgs': organizations.map((username) => ({ username, id: this.#idOf(username) })),
            '/user/teams': teams.map(([username = '', name]) => ({
              name,
              organization: { username, id: this.#idOf(username) },
            })),
          }
        : {
            '/user/memberships/orgs': [
              ...organizations.map((name) => ({
                state: 'active',
                organization: { login: name, id: this.#idOf(name) },
              })),
              ...invited.map((name) => ({
                state: 'pending',
                organization: { login: name, id: this.#idOf(name) },
              })),
            ],
            '/user/teams': teams.map(([name = '', slug]) => ({
              slug,
              organization: { login: name, id: this.#idOf(name) },
            })),
          }
    const list = lists[path]
    if (list) return { status: 200, body: page === 1 ? list : [] }
    return path === '/user' ? { status: 200, body: { id, login } } : { status: 404, body: {} }
  }
}
