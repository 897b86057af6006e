import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { parseAddressRange } from '@skein/core'
import { Front } from '../../src/front/front.ts'
import { GitFront, type Push } from '../../src/git-front/git-front.ts'
import { collectOutput, type CollectedOutput } from '../../src/sandbox/collect-output.ts'
import { findSandboxProvider } from '../../src/sandbox/providers.ts'
import type { FrontAddress, NetworkPolicy, Sandbox, SandboxLevel } from '../../src/sandbox/sandbox.ts'
import { unlimited } from '../limits.ts'
import { AgentWorkspace } from '../../src/workspace/agent-workspace.ts'
import { HostGit, type GitLimits } from '../../src/git/host-git.ts'
import { MirrorCache } from '../../src/git/mirror-cache.ts'
import { prepareWorkspace } from '../../src/workspace/prepare-workspace.ts'
import type { SetupOutcome, SetupScript } from '../../src/workspace/run-setup.ts'
import { UpstreamGuard } from '../../src/git/upstream-guard.ts'

const execute = promisify(execFile)

export interface AgentOptions {
  readonly owner?: string
  readonly repos: readonly (string | { url: string; baseBranch?: string; credential?: string })[]
  /** Another one is another host, with an empty disk. */
  readonly host?: Host
  readonly level?: SandboxLevel
  readonly network?: NetworkPolicy
  readonly canUseGit?: boolean
  readonly maxSavedFileBytes?: number
  readonly setup?: SetupScript
}

/** What one runner has: a disk, mirrors and a front. */
export interface Host {
  readonly dir: string
  readonly mirrors: MirrorCache
  readonly gitFront: GitFront
  readonly front: FrontAddress
}

/** Real git, real sandboxes and a real front, with upstreams in a temporary directory. */
export class GitWorld {
  readonly dir: string
  readonly #fronts: Front[] = []
  readonly #agents: TestAgent[] = []
  #host: Host | undefined
  #hosts = 0

  readonly #gitLimits: Partial<GitLimits>

  private constructor(dir: string, gitLimits: Partial<GitLimits>) {
    this.dir = dir
    this.#gitLimits = gitLimits
  }

  static async start({ gitLimits = {} }: { gitLimits?: Partial<GitLimits> } = {}): Promise<GitWorld> {
    return new GitWorld(await mkdtemp(join(tmpdir(), 'skein-git-')), gitLimits)
  }

  async stop(): Promise<void> {
    for (const agent of this.#agents) await agent.end()
    for (const front of this.#fronts) await front.close()
    await rm(this.dir, { recursive: true, force: true })
  }

  /** Sees what is upstream immediately, unless told otherwise. */
  async addHost(refreshEveryMs = 0): Promise<Host> {
    this.#hosts += 1
    const dir = join(this.dir, `host-${this.#hosts}`)
    await mkdir(dir)
    const mirrors = new MirrorCache({
      dir: join(dir, 'mirrors'),
      git: new HostGit(this.#gitLimits),
      allowsLocalRepos: true,
      guard: loopbackGuard(),
      timeoutMs: 30_000,
    })
    const gitFront = new GitFront({ mirrors, hooksDir: join(dir, 'hooks'), refreshEveryMs })
    const front = new Front({ git: gitFront })
    this.#fronts.push(front)
    return { dir, mirrors, gitFront, front: await front.listen() }
  }

  async host(): Promise<Host> {
    this.#host ??= await this.addHost()
    return this.#host
  }

  /** A bare repository with these files on main; without any, an empty one. */
  async addUpstream(name: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
    const path = join(this.dir, 'upstream', `${name}.git`)
    await mkdir(path, { recursive: true })
    await runGit(path, 'init', '-q', '--bare', '-b', 'main')
    if (Object.keys(files).length > 0) await this.commitUpstream(path, files, 'first')
    return path
  }

  /** Someone else's commit, straight into the upstream. */
  async commitUpstream(
    path: string,
    files: Readonly<Record<string, string>>,
    message: string,
    branch = 'main',
  ): Promise<string> {
    const clone = await mkdtemp(join(this.dir, 'clone-'))
    await runGit(clone, 'clone', '-q', path, '.')
    await runGit(
      clone,
      'checkout',
      '-q',
      '-B',
      branch,
      ...((await hasRef(clone, branch)) ? [`origin/${branch}`] : []),
    )
    for (const [file, content] of Object.entries(files)) {
      await mkdir(dirname(join(clone, file)), { recursive: true })
      await writeFile(join(clone, file), content)
    }
    await runGit(clone, 'add', '-A')
    await runGit(clone, 'commit', '-q', '-m', message)
    await runGit(clone, 'push', '-q', 'origin', `HEAD:${branch}`)
    return (await runGit(clone, 'rev-parse', 'HEAD')).trim()
  }

  /** All but those that say which agent has which branch. */
  async refsOf(upstream: string): Promise<Record<string, string>> {
    const text = await runGit(upstream, 'for-each-ref', '--format=%(refname) %(objectname)')
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('refs/skein/branch/'))
    return Object.fromEntries(lines.map((line): [string, string] => [line.slice(0, -41), line.slice(-40)]))
  }

  async openAgent(path: string, options: AgentOptions): Promise<TestAgent> {
    const agent = await this.openAgentUnprepared(path, options)
    await agent.prepare(options.canUseGit ?? true, options.setup)
    return agent
  }

  async openAgentUnprepared(path: string, options: AgentOptions): Promise<TestAgent> {
    const host = options.host ?? (await this.host())
    const workspace = await AgentWorkspace.open({
      root: join(host.dir, 'workspaces'),
      tenant: 'acme',
      agentKey: `acme/shop/${options.owner ?? 'ada'}/${path}`,
      scope: `acme/shop/${options.owner ?? 'ada'}`,
      path: path.split('/'),
      repos: options.repos.map((repo) => ({
        baseBranch: '',
        credential: '',
        ...(typeof repo === 'string' ? { url: repo } : repo),
      })),
      mirrors: host.mirrors,
      gitFront: host.gitFront,
      frontPort: host.front.port,
      patienceMs: 2_000,
      ...(options.maxSavedFileBytes !== undefined && { maxSavedFileBytes: options.maxSavedFileBytes }),
    })
    const makeSandbox = () =>
      findSandboxProvider(options.level ?? 'process').create({
        id: path.replaceAll('/', '-'),
        workDir: workspace.workRoot,
        stateDir: workspace.stateDir,
        readOnlyPaths: workspace.readOnlyPaths,
        network: options.network ?? 'gateway',
        front: host.front,
        limits: unlimited,
      })
    const agent = new TestAgent(workspace, makeSandbox)
    this.#agents.push(agent)
    return agent
  }
}

export class TestAgent {
  readonly workspace: AgentWorkspace
  readonly pushes: Push[] = []
  /** What the set-up script did, if it had to run. */
  setupOutcome: SetupOutcome | undefined
  readonly #makeSandbox: () => Promise<Sandbox>
  #sandbox: Sandbox | undefined
  #isOver = false

  constructor(workspace: AgentWorkspace, makeSandbox: () => Promise<Sandbox>) {
    this.workspace = workspace
    this.#makeSandbox = makeSandbox
  }

  get sandbox(): Sandbox {
    if (!this.#sandbox) throw new Error('The agent is not prepared')
    return this.#sandbox
  }

  async prepare(canUseGit = true, setup?: SetupScript): Promise<void> {
    const access = { canUseGit, onPush: (push: Push) => void this.pushes.push(push) }
    const makeSandbox = this.#makeSandbox
    const { sandbox, outcome } = await prepareWorkspace(this.workspace, { access, setup, makeSandbox })
    this.#sandbox = sandbox
    this.setupOutcome = outcome
  }

  /** What the agent itself does. Fails when the script does. */
  async run(script: string): Promise<string> {
    const outcome = await this.attempt(script)
    if (outcome.code !== 0) throw new Error(`exit ${outcome.code}: ${outcome.stdout}${outcome.stderr}`)
    return outcome.stdout
  }

  attempt(script: string): Promise<CollectedOutput> {
    const program = this.sandbox.spawn({
      program: 'sh',
      args: ['-e', '-c', script],
      env: {},
      workDir: this.workspace.workDir,
    })
    return collectOutput(program, { maxBytes: 4 * 1024 * 1024, timeoutMs: 60_000 })
  }

  async save() {
    const saved = await this.workspace.saveWork(this.sandbox)
    return saved.map(({ outcome }) => outcome)
  }

  /** The end of a run: the folder stays. */
  async end(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    await this.#sandbox?.dispose()
    await this.workspace.close()
  }

  /** The end of the agent. */
  async remove(): Promise<void> {
    this.#isOver = true
    await this.#sandbox?.dispose()
    await this.workspace.forgetSavedWork()
    await this.workspace.remove()
  }
}

/** Upstreams of tests are on the loopback. */
export function loopbackGuard(): UpstreamGuard {
  return new UpstreamGuard({ allowed: ['127.0.0.0/8'].flatMap((text) => parseAddressRange(text) ?? []) })
}

/** As a developer would, with nothing of this machine's configuration. */
export async function runGit(dir: string, ...args: string[]): Promise<string> {
  const { stdout } = await execute('git', args, {
    cwd: dir,
    env: {
      PATH: process.env['PATH'],
      HOME: dir,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'Dev',
      GIT_AUTHOR_EMAIL: 'dev@example.invalid',
      GIT_COMMITTER_NAME: 'Dev',
      GIT_COMMITTER_EMAIL: 'dev@example.invalid',
    },
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout
}

async function hasRef(clone: string, branch: string): Promise<boolean> {
  return (await runGit(clone, 'branch', '-r', '--list', `origin/${branch}`)) !== ''
}
