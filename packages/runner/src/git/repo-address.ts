import { createHash } from 'node:crypto'
import { isAbsolute } from 'node:path'
import { GitError } from './git-error.ts'

/** A repository from the workspace resource, for one tenant. */
export interface Repo {
  /** Part of a mirror's identity: one tenant's data is never served to another. */
  readonly tenant: string
  readonly url: string
  /** Empty: the repository's default branch. */
  readonly baseBranch: string
  /** Empty, `user:password`, or a token. */
  readonly credential: string
  /** Instead of a credential: what the service issues one for. */
  readonly access?: string
}

export interface RepoAddress {
  /** Without credentials, so it may be shown and stored. */
  readonly url: string
  readonly credential: string
  readonly isLocal: boolean
}

/**
 * Accepts only addresses that use nothing of the runner's own: with SSH, its keys would serve every tenant. Local
 * paths belong to the runner's operator, who must allow them.
 */
export function parseRepoAddress(repo: Repo, allowsLocalRepos: boolean): RepoAddress {
  const text = repo.url.trim()
  if (isAbsolute(text) || text.startsWith('file://')) {
    if (!allowsLocalRepos)
      throw new GitError('unsupported', 'This runner does not allow repositories on its own disk')
    return { url: text, credential: '', isLocal: true }
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol) || /[\p{Cc}\s]/u.test(text)) {
    throw new GitError('unsupported', 'A repository URL must start with https://')
  }
  const { username, password } = url
  url.username = ''
  url.password = ''
  url.hash = ''
  // A trailing dot has no meaning for people, and must not bypass a pinned address.
  url.hostname = url.hostname.replace(/\.+$/, '')
  const own = username && [username, password].filter(Boolean).map(decodeURIComponent).join(':')
  return { url: url.href.replace(/\/+$/, ''), credential: repo.credential || own, isLocal: false }
}

export function mirrorName({ tenant }: Repo, { url }: RepoAddress): string {
  return createHash('sha256').update(`${tenant}\0${url}`).digest('hex').slice(0, 32)
}
