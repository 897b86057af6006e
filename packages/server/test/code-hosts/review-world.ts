import { createHmac, randomUUID } from 'node:crypto'
import { CodeHostLoops, type HostFetch, type HostRequest } from '@skein/engine'
import type { AgentId, Assignment } from '@skein/contract'
import { startTestServer, waitFor, type TestAnswer, type TestServer } from '@skein/testkit'
import { OutboundAddresses, parseAllowedReceivers } from '../../src/automations/outbound-addresses.ts'
import { OutboundFetch } from '../../src/automations/outbound-fetch.ts'
import { AgentWorld, must } from '../agents/agent-world.ts'
import { DescribedRequests } from './described-requests.ts'
import { APP_ID, startGitHub, type GitHubEmulator } from './github-emulator.ts'

const GIT = 'http://git.example.com'
const URL_OF_SHOP = `${GIT}/acme/shop.git`
const KEY = 'webhook-key'

export interface OpenPull {
  readonly agentId: AgentId
  readonly run: Assignment
  readonly name: string
  readonly number: number
}

/** Agents with pull requests on an emulated GitHub, and servers that look at them. */
export class ReviewWorld {
  readonly world: AgentWorld
  readonly github: GitHubEmulator
  readonly #described: DescribedRequests
  readonly #loops: CodeHostLoops[] = []
  readonly #servers: TestServer[] = []
  readonly #outbound = new OutboundFetch(new OutboundAddresses(parseAllowedReceivers('127.0.0.1')), {
    proxy: '',
  })
  /** With the limits of a real server. */
  readonly fetch = this.#outbound.fetch
  /** What stands between the servers and the host. */
  between: (url: string, init?: HostRequest) => Promise<Response> = this.fetch
  /** What GraphQL answers; the emulator has none. */
  graph: (query: string, variables: Record<string, unknown>) => unknown = () => ({})

  private constructor(world: AgentWorld, github: GitHubEmulator) {
    this.world = world
    this.github = github
    this.#described = new DescribedRequests(github.url)
  }

  static async start(): Promise<ReviewWorld> {
    const github = await startGitHub()
    const world = await AgentWorld.start()
    must(await world.admin.write('secret', 'app-key', { value: github.privateKey }))
    must(await world.admin.write('secret', 'hook-key', { value: KEY }))
    const host = {
      type: 'github',
      url: GIT,
      apiUrl: github.url,
      appId: String(APP_ID),
      credential: 'app-key',
    }
    must(await world.admin.write('code-host', 'github', { ...host, webhookSecret: 'hook-key' }))
    must(await world.admin.write('workspace', 'shop', { repos: [{ url: URL_OF_SHOP, codeHost: 'github' }] }))
    const reviews = new ReviewWorld(world, github)
    reviews.addLoops(world.server)
    return reviews
  }

  /** Another server on the same database. */
  async addServer(): Promise<TestServer> {
    const server = await startTestServer({ database: this.world.server.database })
    this.#servers.push(server)
    this.addLoops(server)
    return server
  }

  addLoops(server: TestServer): void {
    const loops = new CodeHostLoops(
      server.engine,
      (input, init) => this.#fetch(input, init),
      (error) => this.errors.push(error),
    )
    loops.start()
    this.#loops.push(loops)
  }

  readonly errors: unknown[] = []

  async close(): Promise<void> {
    for (const loops of this.#loops) await loops.stop()
    for (const server of this.#servers) await server.close()
    this.#outbound.close()
    await this.world.close()
    await this.github.close()
    this.#described.requireNone()
  }

  /** The emulator has no GraphQL, and replies only in GitHub's older form. */
  #fetch: HostFetch = async (input, init) => {
    this.#described.note(input, init)
    const url = input instanceof Request ? input.url : input.toString()
    const sent = typeof init?.body === 'string' ? init.body : ''
    if (url.endsWith('/graphql')) {
      const { query, variables } = JSON.parse(sent) as {
        query: string
        variables: Record<string, unknown>
      }
      return Response.json({ data: this.graph(query, variables) })
    }
    const reply = /^(.*\/comments)\/(\d+)\/replies$/.exec(url)
    if (!reply) return this.between(url, init)
    const { body } = JSON.parse(sent) as { body: string }
    const asked = { body, in_reply_to_id: Number(reply[2]) }
    return this.between(reply[1] ?? '', { ...init, body: JSON.stringify(asked) })
  }

  /** An agent that has opened a pull request and rests. */
  async open(name: string): Promise<OpenPull> {
    const head = `skein/${name}`
    await this.github.createBranch('shop', head)
    const { agentId, run } = await this.world.running(name, { agentId: { workspace: 'shop' } })
    const request = { lease: run.lease, url: URL_OF_SHOP, title: 'Fix it', head, base: 'main' }
    const { body } = must(await this.world.runner.post('/v1/runner/pull-request', request))
    await this.world.complete(run, { reason: 'rested' })
    return { agentId, run, name: String(body['name']), number: Number(body['number']) }
  }

  comment({ number }: OpenPull, text: string, as?: 'alice' | 'mallory'): Promise<{ id: number }> {
    return this.github.post(`/repos/acme/shop/issues/${number}/comments`, { body: text }, as) as Promise<{
      id: number
    }>
  }

  lineComment({ number }: OpenPull, text: string, line: number): Promise<{ id: number }> {
    const comment = { body: text, path: 'README.md', line, side: 'RIGHT' }
    return this.github.post(`/repos/acme/shop/pulls/${number}/comments`, comment) as Promise<{ id: number }>
  }

  /** As the host sends it. */
  webhook(
    body: unknown,
    headers: Record<string, string> = {},
    server: TestServer = this.world.server,
  ): Promise<TestAnswer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const signature = createHmac('sha256', KEY).update(text).digest('hex')
    return server.anonymous.post(this.path, text, {
      headers: {
        'x-hub-signature-256': `sha256=${signature}`,
        'x-github-event': 'issue_comment',
        'x-github-delivery': randomUUID(),
        ...headers,
      },
    })
  }

  get path(): string {
    return `/v1/code-host/codehost_app:${this.world.tenant.tenant.org}/github`
  }

  about({ number }: OpenPull): object {
    return {
      action: 'created',
      nonce: randomUUID(),
      issue: { number },
      repository: { full_name: 'acme/shop' },
    }
  }

  /** As if the quiet window, or the time to the next look, were over. */
  async hurry({ name }: OpenPull): Promise<void> {
    await this.world.sql(
      `update pull_request set look_at = now(), stirred_at = '-infinity', stirred_since = null where name = $1`,
      [name],
    )
  }

  /** Lets servers look at it, and waits until one has. */
  async look(pull: OpenPull): Promise<void> {
    const before = await this.#token(pull)
    await waitFor(
      async () => {
        const [row] = await this.world.sql(
          'select token, held_until > now() as is_held from pull_request where name = $1',
          [pull.name],
        )
        if (row?.['is_held'] !== false) return false
        if (BigInt(String(row['token'])) > before) return true
        // Again and again: whoever was looking just now says when to look next.
        await this.hurry(pull)
        return false
      },
      { what: 'a look' },
    )
  }

  async #token({ name }: OpenPull): Promise<bigint> {
    const [row] = await this.world.sql('select token from pull_request where name = $1', [name])
    return BigInt(String(row?.['token']))
  }

  async record({ name }: OpenPull): Promise<Record<string, unknown>> {
    return must(await this.world.admin.get(`/v1/catalog/pull-request/${name}`)).document
  }

  answer({ lease }: Assignment, thread: string, text: string, resolve = false): Promise<TestAnswer> {
    return this.world.runner.post('/v1/runner/pull-request/answer', { lease, thread, text, resolve })
  }

  async commentsOf({ number }: OpenPull): Promise<{ body: string; in_reply_to_id?: number }[]> {
    const lists = await Promise.all(
      [`issues/${number}/comments`, `pulls/${number}/comments`].map((path) =>
        this.github.get(`/repos/acme/shop/${path}?per_page=100`),
      ),
    )
    return (lists as { body: string }[][]).flat()
  }
}
