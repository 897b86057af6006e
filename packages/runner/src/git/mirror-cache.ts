import { createHash } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { HostLocks } from '@skein/host'
import { classifyGitFailure, GitError } from './git-error.ts'
import { gitEnvironment, hasProxy, upstreamEnvironment } from './git-environment.ts'
import { canPinAddresses } from './git-version.ts'
import { HostGit } from './host-git.ts'
import { trustRepoOfRoot } from './local-repos.ts'
import { mirrorName, parseRepoAddress, type Repo, type RepoAddress } from './repo-address.ts'
import type { MintCredential } from './repo-credentials.ts'
import { runGit, type GitOutcome, type GitRun } from './run-git.ts'
import { isLockedByGit, removeStaleGitLocks } from './stale-git-locks.ts'
import { UpstreamGuard } from './upstream-guard.ts'

export interface MirrorCacheOptions {
  readonly dir: string
  readonly git?: HostGit
  /** Allows local paths as repositories, for tests and development. */
  readonly allowsLocalRepos?: boolean
  /** Which repository addresses may be contacted; only public ones if absent. */
  readonly guard?: UpstreamGuard
  /** For repositories whose code host issues credentials. */
  readonly mintCredential?: MintCredential
  readonly hostEnv?: Readonly<NodeJS.ProcessEnv>
  /** For one exchange with an upstream, and for waiting for another process's exchange. */
  readonly timeoutMs?: number
}

/** A branch to start from. */
export interface Base {
  readonly branch: string
  readonly commit: string
}

/** Ref names, and the objects they point to. */
export type Refs = ReadonlyMap<string, string>

const MIRRORED = ['heads', 'tags', 'skein'].map((kind) => `+refs/${kind}/*:refs/${kind}/*`)
const MAINTENANCE_EVERY_MS = 3_600_000

/**
 * One bare mirror per tenant and repository. Agents' clones borrow objects from it, so objects are never removed, and
 * a mirror only when it was unused for longer than any clone is kept.
 * Agents see it read-only and push to it only through the git front. Its configuration is ours, so git may run on it
 * outside the sandbox.
 */
export class MirrorCache {
  readonly git: HostGit
  readonly #dir: string
  readonly #allowsLocalRepos: boolean
  readonly #guard: UpstreamGuard
  readonly #mintCredential: MintCredential | undefined
  readonly #hostEnv: Readonly<NodeJS.ProcessEnv>
  readonly #timeoutMs: number
  readonly #locks = new HostLocks()
  /** Start of the last successful fetch, by mirror and credential: another credential must prove itself. */
  readonly #fetchedAt = new Map<string, number>()
  readonly #maintainedAt = new Map<string, number>()

  constructor({
    dir,
    git = new HostGit(),
    allowsLocalRepos = false,
    guard = new UpstreamGuard(),
    mintCredential,
    hostEnv = process.env,
    timeoutMs = 600_000,
  }: MirrorCacheOptions) {
    this.git = git
    this.#dir = dir
    this.#allowsLocalRepos = allowsLocalRepos
    this.#guard = guard
    this.#mintCredential = mintCredential
    this.#hostEnv = hostEnv
    this.#timeoutMs = timeoutMs
  }

  dirOf(repo: Repo): string {
    return join(this.#dir, `${mirrorName(repo, this.addressOf(repo))}.git`)
  }

  addressOf(repo: Repo): RepoAddress {
    return parseRepoAddress(repo, this.#allowsLocalRepos)
  }

  /** Updates the mirror and returns where an agent's work starts; undefined for an empty repository. */
  async refresh(repo: Repo): Promise<Base | undefined> {
    await this.fetch(repo)
    const refs = await this.listRefs(repo)
    const heads = [...refs.keys()].filter((ref) => ref.startsWith('refs/heads/'))
    if (heads.every((ref) => ref.startsWith('refs/heads/skein/'))) return undefined
    const branch = repo.baseBranch || (await this.#askDefaultBranch(repo))
    const commit = refs.get(`refs/heads/${branch}`)
    if (commit === undefined) {
      const { url } = this.addressOf(repo)
      throw new GitError('no-branch', `The repository ${url} has no branch ${branch || 'to start from'}`)
    }
    return { branch, commit }
  }

  /** Fetches, unless that was done with this credential within `maxAgeMs`. */
  async fetch(repo: Repo, maxAgeMs = 0): Promise<void> {
    const access = this.#accessKey(repo)
    const isRecent = (sinceMs: number) => (this.#fetchedAt.get(access) ?? -Infinity) >= sinceMs
    const askedAt = performance.now()
    if (maxAgeMs > 0 && isRecent(askedAt - maxAgeMs)) return
    await this.withLock(repo, async () => {
      // The previous holder of the lock may have fetched after this call started.
      if (isRecent(askedAt)) return
      await this.#create(repo)
      const startedAt = performance.now()
      await this.#fetchNow(repo)
      this.#fetchedAt.set(access, startedAt)
      await this.#maintain(repo)
    })
  }

  /** Makes the next fetch contact the upstream. */
  expire(repo: Repo): void {
    this.#fetchedAt.delete(this.#accessKey(repo))
  }

  async listRefs(repo: Repo): Promise<Refs> {
    const { code, stdout, stderr } = await this.run(repo, [
      'for-each-ref',
      '--format=%(objectname) %(refname)',
    ])
    if (code !== 0)
      throw new GitError('failed', `The mirror of a repository cannot be read: ${stderr.trim()}`)
    const lines = stdout.split('\n').filter(Boolean)
    return new Map(lines.map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]))
  }

  /** As printed by git; undefined if it doesn't exist or is too large. */
  async readCommit(repo: Repo, commit: string): Promise<string | undefined> {
    const { code, stdout } = await this.run(repo, ['cat-file', 'commit', commit], {
      maxOutputBytes: 1024 * 1024,
    })
    return code === 0 ? stdout : undefined
  }

  /** Removes a ref upstream and here. A missing one is not an error. */
  async removeRef(repo: Repo, ref: string): Promise<void> {
    const { url } = this.addressOf(repo)
    await this.withLock(repo, async () => {
      const commit = (await this.listRefs(repo)).get(ref)
      if (commit === undefined) return
      const lease = `--force-with-lease=${ref}:${commit}`
      const outcome = await this.runUpstream(repo, ['push', '--quiet', lease, url, `:${ref}`])
      if (outcome.code !== 0) throw classifyGitFailure(url, outcome.stderr, outcome.isTimedOut)
      await this.run(repo, ['update-ref', '-d', ref])
    })
  }

  /** One at a time among all processes of this host: concurrent fetches and pushes would undo each other's refs. */
  async withLock<T>(repo: Repo, work: () => Promise<T>): Promise<T> {
    await mkdir(this.#dir, { recursive: true })
    const held = await this.#locks.acquire(`${this.dirOf(repo)}.lock`, this.#timeoutMs)
    if (!held)
      throw new GitError('busy', `The repository ${this.addressOf(repo).url} is in use by another process`)
    try {
      const result = await work()
      await this.#noteUse(repo)
      return result
    } finally {
      held.release()
    }
  }

  /** Removes mirrors that nobody has fetched from or pushed to since then. */
  async removeUnused(since: number): Promise<void> {
    const names = (await readdir(this.#dir).catch(() => [])).filter((name) => name.endsWith('.git'))
    for (const name of names) {
      const dir = join(this.#dir, name)
      if ((await lastUseOf(dir)) >= since) continue
      // Somebody who holds the lock is using it.
      const held = await this.#locks.acquire(`${dir}.lock`, 0)
      if (!held) continue
      try {
        if ((await lastUseOf(dir)) < since) await rm(dir, { recursive: true, force: true })
      } finally {
        held.release()
      }
    }
  }

  /** The time of its configuration, which nothing else changes. */
  async #noteUse(repo: Repo): Promise<void> {
    const now = new Date()
    await utimes(join(this.dirOf(repo), 'config'), now, now).catch(() => {})
  }

  /** Runs git on the mirror, without credentials. */
  async run(
    repo: Repo,
    args: readonly string[],
    options: Pick<GitRun, 'maxOutputBytes' | 'stdin' | 'timeoutMs'> = {},
  ): Promise<GitOutcome> {
    return runGit({
      git: this.git,
      args: ['--git-dir', this.dirOf(repo), ...args],
      env: gitEnvironment(this.#hostEnv),
      timeoutMs: this.#timeoutMs,
      ...options,
    })
  }

  /** Runs git on the mirror, with the credential for the upstream. Throws if the upstream must not be contacted. */
  async runUpstream(
    repo: Repo,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<GitOutcome> {
    const address = await this.#signIn(repo)
    const pins = await this.#guard.pin(address, hasProxy(this.#hostEnv))
    if (pins.length > 0 && !(await canPinAddresses(this.#hostEnv))) {
      throw new GitError('unsupported', 'This runner’s git is too old: version 2.37 or newer is required')
    }
    const trust = await trustRepoOfRoot(address, this.#dir)
    return runGit({
      git: this.git,
      args: ['--git-dir', this.dirOf(repo), ...args],
      env: { ...upstreamEnvironment(this.#hostEnv, address, pins), ...trust, ...env },
      timeoutMs: this.#timeoutMs,
    })
  }

  /** The address with the credential to use now. One that expires is not kept here. */
  async #signIn(repo: Repo): Promise<RepoAddress> {
    const address = this.addressOf(repo)
    if (repo.access === undefined || !this.#mintCredential) return address
    return { ...address, credential: await this.#mintCredential({ access: repo.access, url: repo.url }) }
  }

  /** Atomic, so that an existing mirror is always complete. */
  async #create(repo: Repo): Promise<void> {
    const dir = this.dirOf(repo)
    if (await stat(dir).catch(() => undefined)) return
    const draft = `${dir}.new`
    await rm(draft, { recursive: true, force: true })
    const outcome = await runGit({
      git: this.git,
      args: ['init', '--quiet', '--bare', '--template=', draft],
      env: gitEnvironment(this.#hostEnv),
    })
    if (outcome.code !== 0)
      throw new GitError('failed', `A mirror could not be created: ${outcome.stderr.trim()}`)
    await rename(draft, dir)
  }

  async #fetchNow(repo: Repo): Promise<void> {
    const { url } = this.addressOf(repo)
    const options = ['--quiet', '--prune', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules']
    const attempt = () => this.runUpstream(repo, ['fetch', ...options, url, ...MIRRORED])
    let outcome = await attempt()
    if (outcome.code !== 0 && isLockedByGit(outcome.stderr)) {
      await removeStaleGitLocks(this.dirOf(repo))
      outcome = await attempt()
    }
    if (outcome.code !== 0) throw classifyGitFailure(url, outcome.stderr, outcome.isTimedOut)
  }

  async #askDefaultBranch(repo: Repo): Promise<string> {
    const { url } = this.addressOf(repo)
    const outcome = await this.runUpstream(repo, ['ls-remote', '--symref', url, 'HEAD'])
    if (outcome.code !== 0) throw classifyGitFailure(url, outcome.stderr, outcome.isTimedOut)
    return /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(outcome.stdout)?.[1] ?? ''
  }

  /** Packs the loose objects that pushes left. These two tasks keep unreachable objects, which a clone may need. */
  async #maintain(repo: Repo): Promise<void> {
    const dir = this.dirOf(repo)
    const now = performance.now()
    if (now - (this.#maintainedAt.get(dir) ?? -Infinity) < MAINTENANCE_EVERY_MS) return
    this.#maintainedAt.set(dir, now)
    await rm(join(dir, 'objects', 'maintenance.lock'), { force: true })
    await this.run(repo, [
      'maintenance',
      'run',
      '--auto',
      '--quiet',
      '--task=loose-objects',
      '--task=incremental-repack',
    ])
  }

  #accessKey(repo: Repo): string {
    const credential = createHash('sha256')
      .update(repo.access ?? this.addressOf(repo).credential)
      .digest('hex')
    return `${this.dirOf(repo)} ${credential}`
  }
}

/** A mirror that is being made has no configuration yet. */
async function lastUseOf(dir: string): Promise<number> {
  return (await stat(join(dir, 'config')).catch(() => undefined))?.mtimeMs ?? Infinity
}
