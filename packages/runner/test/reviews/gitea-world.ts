import { rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { startGitea, type Gitea } from '../../../server/test/code-hosts/gitea-process.ts'
import { RunnerWorld, type RunnerProcess } from '../e2e/runner-world.ts'
import { writeScripts } from './review-scripts.ts'

const HOOK_KEY = 'key-of-the-hook'

/** A service, real runners, a model simulator and a real Gitea that tells the service what happens. */
export class GiteaWorld {
  readonly runners: RunnerWorld
  readonly gitea: Gitea
  readonly runner: RunnerProcess
  readonly #scripts: string
  readonly #stopAutomations: () => Promise<void>

  private constructor(facts: {
    runners: RunnerWorld
    gitea: Gitea
    runner: RunnerProcess
    scripts: string
    stopAutomations: () => Promise<void>
  }) {
    this.runners = facts.runners
    this.gitea = facts.gitea
    this.runner = facts.runner
    this.#scripts = facts.scripts
    this.#stopAutomations = facts.stopAutomations
  }

  static async start(programs: string): Promise<GiteaWorld> {
    const scripts = await writeScripts()
    const gitea = await startGitea(programs)
    const runners = await RunnerWorld.start(
      { SKEIN_OUTBOUND_ALLOW: '127.0.0.1' },
      { scripts: [scripts], logLimit: 10_000 },
    )
    const stopAutomations = runners.server.startAutomations()
    await fillGitea(gitea)
    await connect(runners, gitea)
    const runner = await runners.startRunner({ SKEIN_RUNNER_REPO_RANGES: '127.0.0.1' })
    return new GiteaWorld({ runners, gitea, runner, scripts, stopAutomations })
  }

  async close(): Promise<void> {
    await this.#stopAutomations()
    await this.runners.close()
    await this.gitea.close()
    await rm(this.#scripts, { recursive: true, force: true })
  }

  writeWorkspace(fields: object): Promise<void> {
    return writeWorkspace(this.runners, this.gitea, fields)
  }

  get token(): string {
    return this.gitea.token
  }

  get hookKey(): string {
    return HOOK_KEY
  }

  async list(path: string): Promise<Record<string, unknown>[]> {
    const found = await this.gitea.send('GET', `/repos/acme/shop/${path}`)
    return Array.isArray(found) ? (found as Record<string, unknown>[]) : []
  }

  post(path: string, body: object, as = 'grace'): Promise<unknown> {
    return this.gitea.send('POST', `/repos/acme/shop/${path}`, body, as)
  }

  /** Everything that was said on a pull request: comments, reviews, and comments on lines. */
  async saidOn(number: number): Promise<string[]> {
    const reviews = await this.list(`pulls/${number}/reviews?limit=50`)
    const lines = await Promise.all(
      reviews.map(({ id }) => this.list(`pulls/${number}/reviews/${String(id)}/comments`)),
    )
    const comments = await this.list(`issues/${number}/comments`)
    return [...comments, ...reviews, ...lines.flat()].map(({ body }) => String(body))
  }
}

async function writeWorkspace(runners: RunnerWorld, gitea: Gitea, fields: object): Promise<void> {
  const repos = [{ url: `${gitea.url}/acme/shop.git`, codeHost: 'gitea', baseBranch: 'main' }]
  await runners.write('workspace', 'shop', { repos, ...fields })
}

/** Grace may write, Mallory may only read. */
async function fillGitea(gitea: Gitea): Promise<void> {
  await gitea.send('POST', '/orgs', { username: 'acme' })
  const repo = { name: 'shop', auto_init: true, default_branch: 'main', private: true }
  await gitea.send('POST', '/orgs/acme/repos', repo)
  for (const [user, permission] of [
    ['grace', 'write'],
    ['mallory', 'read'],
  ] as const) {
    await gitea.createUser(user)
    await gitea.send('PUT', `/repos/acme/shop/collaborators/${user}`, { permission })
  }
}

async function connect(runners: RunnerWorld, gitea: Gitea): Promise<void> {
  await runners.write('secret', 'bot-token', { value: gitea.token })
  await runners.write('secret', 'hook-key', { value: HOOK_KEY })
  const host = { type: 'gitea', url: gitea.url, credential: 'bot-token', webhookSecret: 'hook-key' }
  await runners.write('code-host', 'gitea', host)
  await writeWorkspace(runners, gitea, {})
  const { port } = runners.server.app.server.address() as AddressInfo
  const path = `/v1/code-host/codehost_app:${runners.tenant.tenant.org}/gitea`
  await gitea.send('POST', '/repos/acme/shop/hooks', {
    type: 'gitea',
    active: true,
    events: [
      'issues',
      'issue_label',
      'issue_assign',
      'pull_request',
      'pull_request_review',
      'pull_request_comment',
      'issue_comment',
      'push',
      'status',
    ],
    config: { url: `http://127.0.0.1:${port}${path}`, content_type: 'json', secret: HOOK_KEY },
  })
}
