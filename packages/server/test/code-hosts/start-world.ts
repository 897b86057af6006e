import { createHash, randomUUID } from 'node:crypto'
import type { AgentId, Assignment } from '@skein/contract'
import type { HostRequest } from '@skein/engine'
import { waitFor, type TestServer } from '@skein/testkit'
import { must } from '../agents/agent-world.ts'
import { ReviewWorld } from './review-world.ts'

const URL_OF_SHOP = 'http://git.example.com/acme/shop.git'
const DIGEST = createHash('sha256').update('github/acme/shop').digest('hex').slice(0, 8)

export interface Comment {
  readonly id: number
  readonly body: string
}

/** Issues on an emulated GitHub that start agents. */
export class StartWorld {
  readonly reviews: ReviewWorld
  /** What the host answers to a request; undefined means what the emulator does. */
  instead: (url: string, init?: HostRequest) => Promise<Response | undefined> | Response | undefined = () =>
    undefined

  private constructor(reviews: ReviewWorld) {
    this.reviews = reviews
    reviews.between = (url, init) => this.#answer(url, init)
  }

  static async start(): Promise<StartWorld> {
    const starts = new StartWorld(await ReviewWorld.start())
    must(await starts.world.admin.write('profile', 'night', {}))
    await starts.github.post('/repos/acme/shop/labels', { name: 'agent', color: 'ededed' })
    await starts.allow({})
    return starts
  }

  get world() {
    return this.reviews.world
  }

  get github() {
    return this.reviews.github
  }

  close(): Promise<void> {
    return this.reviews.close()
  }

  /** What the workspace lets people start agents with. */
  async allow(hostStarts: object | undefined, fields: object = {}): Promise<void> {
    const all = {
      mention: 'skein',
      label: 'agent',
      assignee: 'alice',
      profile: 'night',
      perPerson: 100,
      perRepository: 100,
    }
    must(
      await this.world.admin.write('workspace', 'shop', {
        repos: [{ url: URL_OF_SHOP, codeHost: 'github' }],
        ...(hostStarts && { hostStarts: { ...all, ...hostStarts } }),
        ...fields,
      }),
    )
    // Tests say when.
    await this.world.sql(`update host_watch set look_at = 'infinity'`)
  }

  /** The emulator knows pull requests only as such. */
  async #answer(url: string, init?: HostRequest): Promise<Response> {
    const answer = await this.instead(url, init)
    if (answer) return answer
    const response = await this.reviews.fetch(url, init)
    const path = /^(.*)\/issues\/(\d+)(\/events)?(?:\?.*)?$/.exec(url)
    if (response.status !== 404 || !path) return response
    if (path[3] !== undefined) return Response.json([])
    const pull = await this.reviews.fetch(`${path[1] ?? ''}/pulls/${path[2] ?? ''}`, init)
    if (!pull.ok) return response
    return Response.json({ ...((await pull.json()) as object), pull_request: {} })
  }

  async issue(body: string, as?: 'alice' | 'mallory', fields: object = {}): Promise<number> {
    const issue = { title: 'The cart is slow', body, ...fields }
    const { number } = (await this.github.post('/repos/acme/shop/issues', issue, as)) as { number: number }
    return number
  }

  comment(number: number, body: string, as?: 'alice' | 'mallory'): Promise<Comment> {
    return this.github.post(`/repos/acme/shop/issues/${number}/comments`, { body }, as) as Promise<Comment>
  }

  async label(number: number): Promise<void> {
    await this.github.post(`/repos/acme/shop/issues/${number}/labels`, { labels: ['agent'] })
  }

  webhook(
    number: number,
    headers: Record<string, string> = {},
    server?: TestServer,
    nonce: string = randomUUID(),
  ) {
    const body = { action: 'labeled', nonce, issue: { number }, repository: { full_name: 'Acme/Shop' } }
    return this.reviews.webhook(body, { 'x-github-event': 'issues', ...headers }, server)
  }

  /** Lets servers look at it, and waits until one has. */
  async look(number: number): Promise<void> {
    await this.webhook(number)
    const before = await this.#row(number)
    await waitFor(
      async () => {
        const row = await this.#row(number)
        if (row.isHeld) return false
        if (row.token > before.token) return !row.isDue
        await this.world.sql('update host_issue set look_at = now() where number = $1', [number])
        return false
      },
      { what: 'a look' },
    )
  }

  /** Lets servers list what changed, and look at it. */
  async sweep(number: number): Promise<void> {
    await this.world.sql(`update host_watch set look_at = now(), read_until = now() - interval '1 hour'`)
    await waitFor(
      async () => {
        const { token, isHeld } = await this.#row(number)
        return token > 0n && !isHeld
      },
      { what: 'a sweep' },
    )
  }

  async #row(number: number): Promise<{ token: bigint; isHeld: boolean; isDue: boolean }> {
    const [row] = await this.world.sql(
      'select token, held_until > now() as is_held, look_at <= now() as is_due from host_issue where number = $1',
      [number],
    )
    return {
      token: row ? BigInt(String(row['token'])) : 0n,
      isHeld: row?.['is_held'] === true,
      isDue: row?.['is_due'] === true,
    }
  }

  async state(number: number): Promise<Record<string, unknown>> {
    const [row] = await this.world.sql('select state from host_issue where number = $1', [number])
    return (row?.['state'] ?? {}) as Record<string, unknown>
  }

  agentOf(number: number): AgentId {
    return {
      tenant: this.world.tenant.tenant,
      ownerProvider: 'PROVIDER_SERVICE_PROFILE',
      account: 'night',
      workspace: 'shop',
      agent: [`shop-${number}-${DIGEST}`],
    }
  }

  /** The run of the agent that was started from it. */
  run(number: number): Promise<Assignment> {
    return this.world.take(this.agentOf(number))
  }

  hasRun(number: number): Promise<boolean> {
    return this.world.hasRun(this.agentOf(number))
  }

  /** What we said there. */
  async replies(number: number): Promise<string[]> {
    const comments = (await this.github.get(
      `/repos/acme/shop/issues/${number}/comments?per_page=100`,
    )) as Comment[]
    return comments.map(({ body }) => body).filter((body) => body.includes('<!-- skein start'))
  }

  /** Everything that the database knows, for what must not be there. */
  async everything(): Promise<string> {
    const tables = ['host_issue', 'host_start', 'follow_up', 'timeline', 'agent', 'audit', 'command']
    const rows = await Promise.all(
      tables.map((table) => this.world.sql(`select to_json(t)::text as row from ${table} t`)),
    )
    return rows
      .flat()
      .map(({ row }) => String(row))
      .join('\n')
  }
}
