import { createHash } from 'node:crypto'
import { isAbsolute } from 'node:path'
import { GitError } from './git-error.ts'

/** A repository as the workspace resource names it, for one tenant. */
export interface Repo {
  /** Part of a mirror's identity: what one tenant may read is never served to another. */
  readonly tenant: string
  readonly url: string
  /** Empty: the branch that the repository itself calls its default. */
  readonly baseBranch: string
  /** Empty, `user:password`, or a token. */
  readonly credential: string
}

export interface RepoAddress {
  /** Without any credential: it may be shown and stored. */
  readonly url: string
  readonly credential: string
  readonly isLocal: boolean
}

/**
 * Only addresses that need nothing of the runner's own: over SSH its keys would serve every tenant, and a path
 * on its disk belongs to whoever operates it, so that one must be allowed by them.
 */
export function parseRepoAddress(repo: Repo, allowsLocalRepos: boolean): RepoAddress {
  const text = repo.url.trim()
  if (isAbsolute(text) || text.startsWith('file://')) {
    if (!allowsLocalRepos)
      throw new GitError('unsupported', 'This runner does not use repositories of its own disk')
    return { url: text, credential: '', isLocal: true }
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol) || /[\p{Cc}\s]/u.test(text)) {
    throw new GitError('unsupported', 'The address of a repository must begin with https://')
  }
  const { username, password } = url
  url.username = ''
  url.password = ''
  url.hash = ''
  // The dot at the end of a name means nothing to people, and must not make another name for a pinned address.
  url.hostname = url.hostname.replace(/\.+$/, '')
  const own = username && [username, password].filter(Boolean).map(decodeURIComponent).join(':')
  return { url: url.href.replace(/\/+$/, ''), credential: repo.credential || own, isLocal: false }
}

export function mirrorName({ tenant }: Repo, { url }: RepoAddress): string {
  return createHash('sha256').update(`${tenant}\0${url}`).digest('hex').slice(0, 32)
}
