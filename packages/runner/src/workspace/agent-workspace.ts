import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { mintToken } from '../front/front.ts'
import type { GitFront, Push } from '../git-front/git-front.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { AgentFolder } from './agent-folder.ts'
import { nameAgent, type AgentNames } from './agent-names.ts'
import { GitError } from './git-error.ts'
import type { MirrorCache, Refs } from './mirror-cache.ts'
import { readGuides } from './read-guide.ts'
import type { Repo } from './repo-address.ts'
import { createFolder, renewFolder, type FolderSetup, type RepoFolder } from './repo-folder.ts'
import { nameRepos } from './repo-names.ts'
import { runSetupScript, type SetupOutcome, type SetupScript } from './run-setup.ts'
import { saveFolder, type SaveOutcome } from './save-work.ts'
import { parseSavedWork } from './saved-work.ts'
import type { RepoRecord } from './workspace-record.ts'

export interface AgentWorkspaceOptions {
  /** Where the folders of all agents lie. */
  readonly root: string
  readonly tenant: string
  /** The agent's whole identity as text, and the path that is a part of it. */
  readonly agentKey: string
  readonly path: readonly string[]
  readonly repos: readonly Omit<Repo, 'tenant'>[]
  readonly mirrors: MirrorCache
  readonly gitFront: Pick<GitFront, 'open' | 'close'>
  readonly frontPort: number
  /** How long to wait for an earlier run that still has the folder. */
  readonly patienceMs?: number
  /** Larger files are not saved: hosts refuse them, and with them everything else. */
  readonly maxSavedFileBytes?: number
}

export interface RunAccess {
  /** False when the environment has no network: the agent can neither fetch nor push. */
  readonly canUseGit: boolean
  readonly onPush: (push: Push) => void | Promise<void>
}

export interface SavedRepo {
  readonly repo: string
  readonly outcome: SaveOutcome
}

const SAVE_TIMEOUT_MS = 300_000

/** Where one agent works, for one run: its repositories with its branch and its unfinished work. */
export class AgentWorkspace {
  readonly names: AgentNames
  readonly #options: AgentWorkspaceOptions
  readonly #folder: AgentFolder
  readonly #repos: readonly RepoFolder[]
  #token: string | undefined
  #saving: Promise<unknown> = Promise.resolve()

  private constructor(
    options: AgentWorkspaceOptions,
    names: AgentNames,
    folder: AgentFolder,
    repos: readonly RepoFolder[],
  ) {
    this.#options = options
    this.names = names
    this.#folder = folder
    this.#repos = repos
  }

  /** Takes the agent's folder for this run and brings its mirrors up to date. Throws a `GitError` for people. */
  static async open(options: AgentWorkspaceOptions): Promise<AgentWorkspace> {
    const names = nameAgent(options.agentKey, options.path)
    const folder = await AgentFolder.take(options.root, names.hash, options.patienceMs ?? 30_000)
    if (!folder) throw new GitError('busy', 'An earlier run still has the workspace of this agent')
    try {
      await mkdir(folder.workRoot, { recursive: true })
      await mkdir(folder.stateDir, { recursive: true })
      return new AgentWorkspace(options, names, folder, await openRepos(options, folder))
    } catch (error) {
      folder.release()
      throw error
    }
  }

  /** For the sandbox: the two places that the agent may write, and what it must see. */
  get workRoot(): string {
    return this.#folder.workRoot
  }

  get stateDir(): string {
    return this.#folder.stateDir
  }

  get readOnlyPaths(): readonly string[] {
    return this.#repos.map(({ mirrorDir }) => mirrorDir)
  }

  get repoNames(): readonly string[] {
    return this.#repos.map(({ name }) => name)
  }

  /** Where the agent starts. */
  get workDir(): string {
    const [only, ...others] = this.#repos
    return only && others.length === 0 ? only.dir : this.workRoot
  }

  /** Gets the repositories ready and gives the agent access to the git front, until `close`. */
  async prepare(sandbox: Sandbox, access: RunAccess): Promise<void> {
    this.#token = this.#openGrant(
      sandbox,
      access.canUseGit,
      access.canUseGit ? [`refs/heads/${this.names.branch}`, this.names.savedRef] : [],
      async (push) => {
        const repo = this.#folder.record.repos[push.repo]
        if (repo) await this.#recordRepo(push.repo, { ...repo, branchCommit: push.commit })
        await access.onPush(push)
      },
    )
    await this.#folder.changeRecord((record) => ({ ...record, isSaved: false }))
    for (const repo of this.#repos) await this.#prepareRepo(sandbox, repo, this.#token)
  }

  /** The environment's set-up script, once in a new workspace. Undefined when that was done before. */
  async runSetup(sandbox: Sandbox, setup: SetupScript): Promise<SetupOutcome | undefined> {
    if (this.#folder.record.isSetUp) return undefined
    const outcome = await runSetupScript(sandbox, this.workDir, setup)
    if (outcome.status === 'done') await this.#folder.changeRecord((record) => ({ ...record, isSetUp: true }))
    return outcome
  }

  readGuide(sandbox: Sandbox): Promise<string> {
    return readGuides(sandbox, this.#repos)
  }

  /** Saves unfinished work upstream, also while the agent is at it. What cannot be saved is told, not thrown. */
  saveWork(sandbox: Sandbox): Promise<readonly SavedRepo[]> {
    const result = this.#saving.then(async () => {
      const saved: SavedRepo[] = []
      for (const repo of this.#repos)
        saved.push({ repo: repo.name, outcome: await this.#saveRepo(sandbox, repo) })
      const isSaved = saved.every(({ outcome }) => outcome.status !== 'failed')
      await this.#folder.changeRecord((record) => ({ ...record, isSaved }))
      return saved
    })
    this.#saving = result.catch(() => undefined)
    return result
  }

  /** Removes the saved work upstream, for an agent that will not go on. */
  async forgetSavedWork(): Promise<void> {
    for (const { repo } of this.#repos) await this.#options.mirrors.removeRef(repo, this.names.savedRef)
  }

  /** Ends the run's access and lets the folder go. */
  async close(): Promise<void> {
    this.#closeGrant()
    await this.#saving
    try {
      await this.#folder.markUsed()
    } finally {
      this.#folder.release()
    }
  }

  /** As `close`, and nothing stays on this host. */
  async remove(): Promise<void> {
    this.#closeGrant()
    await this.#saving
    await this.#folder.remove()
  }

  async #prepareRepo(sandbox: Sandbox, folder: RepoFolder, token: string): Promise<void> {
    const { mirrors } = this.#options
    const refs = await mirrors.listRefs(folder.repo)
    const originUrl = this.#urlOf(token, folder.name)
    const setup: FolderSetup = { sandbox, names: this.names, folder, refs, originUrl }
    const standing = this.#standing(folder, refs)
    if (isCurrent(this.#folder.record.repos[folder.name], standing) && (await renewFolder(setup))) return
    // Recorded only when it is whole: what a killed runner leaves half done is made again.
    await this.#recordRepo(folder.name, undefined)
    const saved = standing.savedCommit && (await mirrors.readCommit(folder.repo, standing.savedCommit))
    await createFolder(setup, saved ? parseSavedWork(saved) : undefined)
    await this.#recordRepo(folder.name, standing)
  }

  async #saveRepo(sandbox: Sandbox, folder: RepoFolder): Promise<SaveOutcome> {
    const { mirrors, maxSavedFileBytes = 50 * 1024 * 1024 } = this.#options
    // A token of its own, so that work is saved also where the agent itself cannot push.
    const token = this.#openGrant(sandbox, false, [this.names.savedRef], () => undefined)
    try {
      const refs = await mirrors.listRefs(folder.repo)
      const outcome = await saveFolder({
        sandbox,
        names: this.names,
        folder,
        refs,
        pushUrl: this.#urlOf(token, folder.name),
        maxFileBytes: maxSavedFileBytes,
        timeoutMs: SAVE_TIMEOUT_MS,
      })
      if (outcome.status === 'failed') return outcome
      if (outcome.status === 'clean') await mirrors.removeRef(folder.repo, this.names.savedRef)
      const savedCommit = outcome.status === 'saved' ? outcome.commit : ''
      // Asked again, because the agent may have pushed in the meantime.
      const standing = this.#standing(folder, await mirrors.listRefs(folder.repo))
      await this.#recordRepo(folder.name, { ...standing, savedCommit })
      return outcome
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      return { status: 'failed', reason: error.message }
    } finally {
      this.#options.gitFront.close(token)
    }
  }

  #standing({ url }: RepoFolder, refs: Refs): RepoRecord {
    return {
      url,
      savedCommit: refs.get(this.names.savedRef) ?? '',
      branchCommit: refs.get(`refs/heads/${this.names.branch}`) ?? '',
    }
  }

  async #recordRepo(name: string, repo: RepoRecord | undefined): Promise<void> {
    await this.#folder.changeRecord((record) => {
      const { [name]: _old, ...others } = record.repos
      return {
        ...record,
        repos: repo ? { ...others, [name]: repo } : others,
        isSetUp: record.isSetUp && Boolean(repo),
      }
    })
  }

  #openGrant(
    sandbox: Sandbox,
    canFetch: boolean,
    writableRefs: readonly string[],
    onPush: RunAccess['onPush'],
  ): string {
    const token = mintToken(sandbox.spec.front)
    const repos = new Map(this.#repos.map(({ name, repo }) => [name, repo]))
    this.#options.gitFront.open(token, { repos, canFetch, writableRefs, onPush })
    return token
  }

  #closeGrant(): void {
    if (this.#token !== undefined) this.#options.gitFront.close(this.#token)
    this.#token = undefined
  }

  #urlOf(token: string, name: string): string {
    return `http://127.0.0.1:${this.#options.frontPort}/git/${token}/${name}.git`
  }
}

/**
 * Whether the folder here is the agent's latest. When the saved work upstream is not what this host saved, the
 * agent has worked elsewhere since. Without saved work the branch tells.
 */
function isCurrent(here: RepoRecord | undefined, upstream: RepoRecord): boolean {
  if (here?.url !== upstream.url || here.savedCommit !== upstream.savedCommit) return false
  return here.savedCommit !== '' || here.branchCommit === upstream.branchCommit
}

function openRepos(options: AgentWorkspaceOptions, folder: AgentFolder): Promise<RepoFolder[]> {
  const { mirrors, tenant } = options
  const found = options.repos.map((source) => {
    const repo = { ...source, tenant }
    return { repo, url: mirrors.addressOf(repo).url }
  })
  // Named twice, it is still one: both folders would save their work in the same place.
  const repos = found.filter(({ url }, index) => found.findIndex((other) => other.url === url) === index)
  const names = nameRepos(repos.map(({ url }) => url))
  return Promise.all(
    repos.map(async ({ repo, url }, index) => {
      const name = names[index] ?? ''
      return {
        name,
        repo,
        url,
        dir: join(folder.workRoot, name),
        snapshotDir: join(folder.stateDir, 'saved-work', `${name}.git`),
        mirrorDir: mirrors.dirOf(repo),
        base: await mirrors.refresh(repo),
      }
    }),
  )
}
