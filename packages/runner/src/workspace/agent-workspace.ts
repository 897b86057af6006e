import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { compareCommits, findMergeBase, type GitOnRepository } from '../diffs/compare-commits.ts'
import type { PushDiff } from '../diffs/push-diffs.ts'
import { mintToken } from '../front/front.ts'
import type { GitFront, Push } from '../git-front/git-front.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { AgentFolder } from './agent-folder.ts'
import { listBranches, nameAgent, type AgentIdentity, type AgentNames } from './agent-names.ts'
import { claimBranch, findClaimed, releaseBranch } from './branch-claims.ts'
import { GitError } from '../git/git-error.ts'
import type { MirrorCache, Refs } from '../git/mirror-cache.ts'
import { readGuides } from './read-guide.ts'
import type { Repo } from '../git/repo-address.ts'
import {
  baseStart,
  createFolder,
  ownStart,
  placeWork,
  renewFolder,
  type FolderSetup,
  type FolderStart,
  type RepoFolder,
} from './repo-folder.ts'
import { nameRepos } from './repo-names.ts'
import { runSetupScript, type SetupOutcome, type SetupScript } from './run-setup.ts'
import { saveFolder, type SaveOutcome } from './save-work.ts'
import { parseSavedWork } from './saved-work.ts'
import type { RepoRecord } from './workspace-record.ts'

export interface AgentWorkspaceOptions extends AgentIdentity {
  /** The folder that contains all agents' folders. */
  readonly root: string
  readonly tenant: string
  readonly repos: readonly Omit<Repo, 'tenant'>[]
  readonly mirrors: MirrorCache
  readonly gitFront: Pick<GitFront, 'open' | 'close'>
  readonly frontPort: number
  /** How long to wait for an earlier run that still holds the folder. */
  readonly patienceMs?: number
  /** Larger files are not saved: hosts would reject them, and everything else with them. */
  readonly maxSavedFileBytes?: number
}

/** How one repository is created. */
interface Plan {
  readonly setup: FolderSetup
  readonly standing: RepoRecord
  readonly start: FolderStart
}

export interface RunAccess {
  /** False without network: the agent can neither fetch nor push. */
  readonly canUseGit: boolean
  readonly onPush: (push: Push) => void | Promise<void>
  /** Whether the environment has a setup script, which must have run. */
  readonly needsSetup: boolean
}

export interface SavedRepo {
  readonly repo: string
  readonly outcome: SaveOutcome
}

export interface RepoStanding {
  /** As the workspace names it. */
  readonly url: string
  readonly isOnCodeHost: boolean
  /** The branch that the work started from; empty if the repository was empty. */
  readonly base: string
  /** Whether the agent's branch is upstream. */
  readonly isPushed: boolean
}

const SAVE_TIMEOUT_MS = 300_000

/** One agent's workspace during one run: its repositories, with its branch and its unfinished work. */
export class AgentWorkspace {
  readonly names: AgentNames
  readonly #options: AgentWorkspaceOptions
  readonly #folder: AgentFolder
  readonly #repos: readonly RepoFolder[]
  /** Repositories that can be used as they are. */
  readonly #ready = new Set<string>()
  /** The agent's access to git, valid in one sandbox only. */
  #grant: { readonly sandbox: Sandbox; readonly token: string } | undefined
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

  /** Takes the agent's folder for this run and updates its mirrors. Throws a `GitError` with a message for people. */
  static async open(options: AgentWorkspaceOptions): Promise<AgentWorkspace> {
    const names = nameAgent(options)
    const folder = await AgentFolder.take(options.root, names.hash, options.patienceMs ?? 30_000)
    if (!folder) throw new GitError('busy', 'An earlier run is still using this agent’s workspace')
    try {
      await mkdir(folder.workRoot, { recursive: true })
      await mkdir(folder.stateDir, { recursive: true })
      const repos = await openRepos(options, folder)
      const branch = await claimBranch(
        options.mirrors,
        repos.map(({ repo }) => repo),
        names.hash,
        listBranches(options),
      )
      return new AgentWorkspace(options, { ...names, branch }, folder, repos)
    } catch (error) {
      folder.release()
      throw error
    }
  }

  /** For the sandbox: the two writable directories, and what must be visible. */
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

  /** The agent's initial directory. */
  get workDir(): string {
    const [only, ...others] = this.#repos
    return only && others.length === 0 ? only.dir : this.workRoot
  }

  /**
   * Gives the agent access to the git front until `close`, and prepares its folder for another run. False if it
   * cannot be used as it is: then `create` creates what is missing. Before setup, `clear` must be called first.
   */
  async resume(sandbox: Sandbox, access: RunAccess): Promise<boolean> {
    const token = this.#openAccess(sandbox, access)
    const { isSetUp } = this.#folder.record
    await this.#folder.changeRecord((record) => ({ ...record, isSaved: false }))
    for (const folder of this.#repos) {
      const setup = await this.#folderSetup(sandbox, folder, token)
      const standing = this.#standing(folder, setup.refs)
      if (isCurrent(this.#folder.record.repos[folder.name], standing) && (await renewFolder(setup)))
        this.#ready.add(folder.name)
    }
    const isReady = this.#ready.size === this.#repos.length && (isSetUp || !access.needsSetup)
    if (!isReady && access.needsSetup) await this.#rescue(sandbox)
    return isReady
  }

  /** Removes everything the agent has ever written here. None of its sandboxes may be open. */
  async clear(): Promise<void> {
    this.#ready.clear()
    await this.#folder.clear()
  }

  /**
   * Creates the repositories that are not ready. A setup script runs before anything of the agent's is there: it
   * gets secrets, and would execute what the agent has written. What it leaves in untracked files and in its home
   * stays.
   */
  async create(sandbox: Sandbox, access: RunAccess, script?: SetupScript): Promise<SetupOutcome | undefined> {
    const token = this.#openAccess(sandbox, access)
    const plans: Plan[] = []
    for (const folder of this.#repos)
      if (!this.#ready.has(folder.name)) plans.push(await this.#plan(sandbox, folder, token))
    let outcome: SetupOutcome | undefined
    if (script) {
      for (const { setup } of plans) await createFolder(setup, baseStart(setup))
      outcome = await runSetupScript(sandbox, this.workDir, script)
      if (outcome.status !== 'done') return outcome
      for (const { setup, start } of plans) await placeWork(setup, start)
    } else {
      for (const { setup, start } of plans) await createFolder(setup, start)
    }
    // Recorded only when complete: what a killed runner leaves unfinished is created again.
    for (const { setup, standing } of plans) await this.#recordRepo(setup.folder.name, standing)
    if (script) await this.#folder.changeRecord((record) => ({ ...record, isSetUp: true }))
    return outcome
  }

  /** Where the agent's work in a repository stands; the main one if no name is given. Undefined if there is none. */
  async standing(name: string): Promise<RepoStanding | undefined> {
    const folder = name === '' ? this.#repos[0] : this.#repos.find((each) => each.name === name)
    if (!folder) return undefined
    const { repo, base } = folder
    const refs = await this.#options.mirrors.listRefs(repo)
    return {
      url: repo.url,
      isOnCodeHost: repo.access !== undefined,
      base: base?.branch ?? '',
      isPushed: refs.has(`refs/heads/${this.names.branch}`),
    }
  }

  /** What the agent says about a commit that it has pushed; empty if it cannot be read. */
  async messageOf(name: string, commit: string): Promise<string> {
    const folder = this.#repos.find((each) => each.name === name)
    const text = folder && (await this.#options.mirrors.readCommit(folder.repo, commit))
    return text === undefined ? '' : text.slice(text.indexOf('\n\n') + 2).trim()
  }

  /** The pushed branch of another agent in a repository; undefined if it has none. */
  async branchOf(name: string, other: AgentIdentity): Promise<string | undefined> {
    const folder = name === '' ? this.#repos[0] : this.#repos.find((each) => each.name === name)
    if (!folder) return undefined
    const { mirrors } = this.#options
    await mirrors.fetch(folder.repo)
    return findClaimed(mirrors, folder.repo, nameAgent(other).hash, listBranches(other))
  }

  /** What a push changed since its branch left its base, and since the push before. */
  async diffPush({ repo: name, url, ref, before, commit }: Push): Promise<readonly PushDiff[]> {
    const folder = this.#repos.find((each) => each.name === name)
    if (!folder) return []
    const { repo, base } = folder
    const { mirrors } = this.#options
    const git: GitOnRepository = (args, limits) => mirrors.run(repo, args, limits)
    // Somebody may have deleted the base in the meantime.
    const tip = base && ((await mirrors.listRefs(repo)).get(`refs/heads/${base.branch}`) ?? base.commit)
    const leftAt = tip === undefined ? '' : await findMergeBase(git, tip, commit)
    const facts = {
      repo: url,
      branch: ref.replace(/^refs\/heads\//, ''),
      commit,
      baseBranch: base?.branch ?? '',
    }
    const diffs: PushDiff[] = []
    for (const [scope, baseCommit] of [
      ['branch', leftAt],
      ['push', before],
    ] as const) {
      // The first push is the whole branch.
      if (scope === 'push' && before === '') continue
      // Everything would look new.
      if (baseCommit === undefined) continue
      const comparison = await compareCommits(git, baseCommit, commit)
      if (comparison) diffs.push({ ...facts, scope, baseCommit, ...comparison })
    }
    return diffs
  }

  readGuide(sandbox: Sandbox): Promise<string> {
    return readGuides(sandbox, this.#repos)
  }

  /** Saves unfinished work upstream, even while the agent is working. Failures are returned, not thrown. */
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

  /** Removes what is kept upstream besides the branch, for an agent that won't continue. */
  async forgetSavedWork(): Promise<void> {
    const { mirrors } = this.#options
    const { savedRef, hash, branch } = this.names
    for (const { repo } of this.#repos) {
      await mirrors.removeRef(repo, savedRef)
      await releaseBranch(mirrors, repo, hash, branch)
    }
  }

  /** Ends the run's access and releases the folder. */
  async close(): Promise<void> {
    this.#closeGrant()
    await this.#saving
    try {
      await this.#folder.markUsed()
    } finally {
      this.#folder.release()
    }
  }

  /** Like `close`, but leaves nothing on this host. */
  async remove(): Promise<void> {
    this.#closeGrant()
    await this.#saving
    await this.#folder.remove()
  }

  #openAccess(sandbox: Sandbox, { canUseGit, onPush }: RunAccess): string {
    if (this.#grant?.sandbox === sandbox) return this.#grant.token
    this.#closeGrant()
    const token = this.#openGrant(
      sandbox,
      canUseGit,
      canUseGit ? [`refs/heads/${this.names.branch}`, this.names.savedRef] : [],
      async (push) => {
        const repo = this.#folder.record.repos[push.repo]
        if (repo) await this.#recordRepo(push.repo, { ...repo, branchCommit: push.commit })
        await onPush(push)
      },
    )
    this.#grant = { sandbox, token }
    return token
  }

  async #folderSetup(sandbox: Sandbox, folder: RepoFolder, token: string): Promise<FolderSetup> {
    const refs = await this.#options.mirrors.listRefs(folder.repo)
    return { sandbox, names: this.names, folder, refs, originUrl: this.#urlOf(token, folder.name) }
  }

  async #plan(sandbox: Sandbox, folder: RepoFolder, token: string): Promise<Plan> {
    const setup = await this.#folderSetup(sandbox, folder, token)
    const standing = this.#standing(folder, setup.refs)
    await this.#recordRepo(folder.name, undefined)
    const { savedCommit } = standing
    const saved = savedCommit && (await this.#options.mirrors.readCommit(folder.repo, savedCommit))
    return { setup, standing, start: ownStart(setup, saved ? parseSavedWork(saved) : undefined) }
  }

  /** Saves what is still usable before everything is created again. */
  async #rescue(sandbox: Sandbox): Promise<void> {
    for (const folder of this.#repos) {
      if (!this.#ready.has(folder.name)) continue
      const outcome = await this.#saveRepo(sandbox, folder)
      if (outcome.status === 'failed')
        throw new GitError('failed', `The work in ${folder.name} could not be saved: ${outcome.reason}`)
    }
  }

  async #saveRepo(sandbox: Sandbox, folder: RepoFolder): Promise<SaveOutcome> {
    const { mirrors, maxSavedFileBytes = 50 * 1024 * 1024 } = this.#options
    // A separate token, so that work is saved even if the agent itself cannot push.
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
      // Read again, because the agent may have pushed in the meantime.
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
    if (this.#grant) this.#options.gitFront.close(this.#grant.token)
    this.#grant = undefined
  }

  #urlOf(token: string, name: string): string {
    return `http://127.0.0.1:${this.#options.frontPort}/git/${token}/${name}.git`
  }
}

/**
 * Whether the folder here is the agent's latest. If the saved work upstream isn't what this host saved, the agent
 * has worked elsewhere since. Without saved work, the branch decides.
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
  // A repository listed twice is still one: both folders would save their work in the same place.
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
