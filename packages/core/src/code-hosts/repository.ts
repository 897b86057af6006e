import type { CodeHostDocument } from '@skein/contract'

/** A repository, as its code host names it. */
export interface Repository {
  readonly owner: string
  readonly name: string
}

/** A dash alone is where the pages of a project begin on GitLab. */
const PART = /^(?!(?:\.{1,2}|-)$)[A-Za-z0-9._-]{1,100}$/

/** As deep as GitLab lets groups be. Elsewhere an owner has one part. */
const MAX_PARTS = { github: 2, gitea: 2, gitlab: 21 }
const MAX_OWNER = 255

/** The repository of a code host that a URL for git names; undefined if it is on another host. */
export function repositoryOf(
  { type, url }: Pick<CodeHostDocument, 'type' | 'url'>,
  repoUrl: string,
): Repository | undefined {
  const host = URL.parse(url)
  const repo = URL.parse(repoUrl)
  if (!host || repo?.origin !== host.origin) return undefined
  const above = `${host.pathname.replace(/\/+$/, '')}/`
  if (!repo.pathname.startsWith(above)) return undefined
  const path = repo.pathname.slice(above.length).replace(/\/+$/, '')
  const parts = path.replace(/\.git$/, '').split('/')
  if (parts.length < 2 || parts.length > MAX_PARTS[type] || !parts.every((part) => PART.test(part))) {
    return undefined
  }
  return splitPath(parts.join('/'))
}

/** Of a group within groups, the owner is all but the last part. */
export function splitPath(path: string): Repository | undefined {
  const slash = path.lastIndexOf('/')
  const found = { owner: path.slice(0, Math.max(slash, 0)), name: path.slice(slash + 1) }
  return found.owner === '' || found.name === '' || found.owner.length > MAX_OWNER ? undefined : found
}

/** Hosts don't distinguish upper and lower case in names. */
export function isSameText(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase()
}

const GITHUB = 'https://github.com'

/** Where a code host has its API, without a slash at the end. */
export function apiUrlOf({
  type,
  url,
  apiUrl,
}: {
  readonly type: CodeHostDocument['type']
  readonly url: string
  readonly apiUrl: string
}): string {
  const base = url.replace(/\/+$/, '')
  if (apiUrl !== '') return apiUrl.replace(/\/+$/, '')
  if (type === 'gitea') return `${base}/api/v1`
  if (type === 'gitlab') return `${base}/api/v4`
  return base === GITHUB ? 'https://api.github.com' : `${base}/api/v3`
}
