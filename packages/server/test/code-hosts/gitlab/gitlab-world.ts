import { randomUUID } from 'node:crypto'
import type { AgentId, Assignment } from '@skein/contract'
import { CodeHostLoops } from '@skein/engine'
import { waitFor, type TestAnswer } from '@skein/testkit'
import { OutboundAddresses, parseAllowedReceivers } from '../../../src/automations/outbound-addresses.ts'
import { OutboundFetch } from '../../../src/automations/outbound-fetch.ts'
import { AgentWorld, must } from '../../agents/agent-world.ts'
import { GitLabFixture } from './gitlab-fixture.ts'
import type { MergeRequest } from './gitlab-state.ts'

const GIT = 'http://git.example.com'
export const SHOP = 'acme/tools/shop'
export const URL_OF_SHOP = `${GIT}/${SHOP}.git`
export const API_TOKEN = 'glpat-api-of-the-project'
export const GIT_TOKEN = 'glpat-git-of-the-project'
export const HOOK_KEY = 'webhook-key'

export interface OpenPull {
  readonly agentId: AgentId
  readonly run: Assignment
  readonly name: string
  readonly number: number
  readonly pull: MergeRequest
}

/** Ada may write, Grace maintains, Rita reports, and Mallory is nobody. */
export function fillGitLab(gitlab: GitLabFixture): void {
  const bot = gitlab.addUser('project_1_bot_4ffca233', { bot: true })
  const service = gitlab.addUser('ci-helper', { bot: true })
  const members = { ada: 30, grace: 40, rita: 20, [bot.username]: 40, [service.username]: 30 }
  gitlab.addProject(SHOP, members)
  gitlab.addProject('acme/payroll', { grace: 40 })
  gitlab.addUser('mallory')
  gitlab.addToken(API_TOKEN, { user: bot, scopes: ['api'], project: SHOP })
  gitlab.addToken(GIT_TOKEN, { user: bot, scopes: ['write_repository'], project: SHOP })
}

/** Agents with pull requests on a GitLab that a test fills, and a server that looks at them. */
export class GitLabWorld {
  readonly world: AgentWorld
  readonly gitlab: GitLabFixture
  readonly #loops: CodeHostLoops
  readonly #outbound: OutboundFetch
  readonly errors: unknown[] = []

  private constructor(world: AgentWorld, gitlab: GitLabFixture) {
    this.world = world
    this.gitlab = gitlab
    const addresses = new OutboundAddresses(parseAllowedReceivers('127.0.0.1'))
    this.#outbound = new OutboundFetch(addresses, { proxy: '' })
    this.#loops = new CodeHostLoops(world.server.engine, this.#outbound.fetch, (error) =>
      this.errors.push(error),
    )
    this.#loops.start()
  }

  static async start(): Promise<GitLabWorld> {
    const gitlab = await GitLabFixture.start()
    fillGitLab(gitlab)
    const world = await AgentWorld.start()
    for (const [name, value] of Object.entries({ api: API_TOKEN, git: GIT_TOKEN, hook: HOOK_KEY })) {
      must(await world.admin.write('secret', name, { value: `${value}\n` }))
    }
    must(await world.admin.write('profile', 'night', {}))
    const found = new GitLabWorld(world, gitlab)
    must(await found.writeHost({}))
    await found.writeWorkspace({})
    return found
  }

  writeHost(fields: object): Promise<TestAnswer> {
    return this.world.admin.write('code-host', 'gitlab', {
      type: 'gitlab',
      url: GIT,
      apiUrl: `${this.gitlab.url}/api/v4`,
      credential: 'api',
      gitCredential: 'git',
      webhookSecret: 'hook',
      ...fields,
    })
  }

  async writeWorkspace(fields: object): Promise<void> {
    const repos = [{ url: URL_OF_SHOP, codeHost: 'gitlab' }]
    must(await this.world.admin.write('workspace', 'shop', { repos, ...fields }))
    await this.world.sql(`update host_watch set look_at = 'infinity'`)
  }

  async close(): Promise<void> {
    await this.#loops.stop()
    this.#outbound.close()
    await this.world.close()
    await this.gitlab.close()
    if (this.errors.length > 0) throw new AggregateError(this.errors)
  }

  openWith(run: Assignment, fields: object): Promise<TestAnswer> {
    const request = { lease: run.lease, url: URL_OF_SHOP, title: 'Fix it', base: 'main', ...fields }
    return this.world.runner.post('/v1/runner/pull-request', request)
  }

  /** An agent that has opened a pull request and rests. */
  async open(name: string, fields: object = {}): Promise<OpenPull> {
    const { agentId, run } = await this.world.running(name, { agentId: { workspace: 'shop' } })
    const { body } = must(await this.openWith(run, { head: `skein/${name}`, ...fields }))
    await this.world.complete(run, { reason: 'rested' })
    const number = Number(body['number'])
    const pull = this.gitlab.mergeRequest(SHOP, number)
    return { agentId, run, name: String(body['name']), number, pull }
  }

  get path(): string {
    return `/v1/code-host/codehost_app:${this.world.tenant.tenant.org}/gitlab`
  }

  /** As GitLab sends it. */
  webhook(event: string, body: unknown, headers: Record<string, string> = {}): Promise<TestAnswer> {
    return this.world.server.anonymous.post(this.path, JSON.stringify(body), {
      headers: {
        'x-gitlab-token': HOOK_KEY,
        'x-gitlab-event': event,
        'x-gitlab-event-uuid': randomUUID(),
        'x-gitlab-webhook-uuid': randomUUID(),
        'idempotency-key': randomUUID(),
        ...headers,
      },
    })
  }

  /** Lets the server look at it, and waits until it has. */
  async look({ name }: OpenPull): Promise<void> {
    const before = await this.#tokenOf(name)
    await waitFor(
      async () => {
        const [row] = await this.world.sql(
          'select token, held_until > now() as is_held from pull_request where name = $1',
          [name],
        )
        if (row?.['is_held'] !== false) return false
        if (BigInt(String(row['token'])) > before) return true
        await this.world.sql(
          `update pull_request set look_at = now(), stirred_at = '-infinity', stirred_since = null where name = $1`,
          [name],
        )
        return false
      },
      { what: 'a look' },
    )
  }

  async #tokenOf(name: string): Promise<bigint> {
    const [row] = await this.world.sql('select token from pull_request where name = $1', [name])
    return BigInt(String(row?.['token']))
  }

  /** What the agent was sent: text and tasks of its next run. */
  async nextRun({ agentId }: OpenPull) {
    const run = await this.world.take(agentId)
    const { body } = must(await this.world.admin.post('/v1/agent/tasks', { agentId }))
    return { run, text: JSON.stringify(run), tasks: body['tasks'] as Record<string, unknown>[] }
  }

  async record({ name }: OpenPull): Promise<Record<string, unknown>> {
    return must(await this.world.admin.get(`/v1/catalog/pull-request/${name}`)).document
  }

  async answer({ lease }: Assignment, thread: string, text: string, resolve = false): Promise<void> {
    must(await this.world.runner.post('/v1/runner/pull-request/answer', { lease, thread, text, resolve }))
  }
}
