/** A repository, as its code host names it. */
export interface Repository {
  readonly owner: string
  readonly name: string
}

const PART = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/

/** The repository of a code host that a URL for git names; undefined if it is on another host. */
export function repositoryOf(hostUrl: string, repoUrl: string): Repository | undefined {
  const host = URL.parse(hostUrl)
  const repo = URL.parse(repoUrl)
  if (!host || repo?.origin !== host.origin) return undefined
  const above = `${host.pathname.replace(/\/+$/, '')}/`
  if (!repo.pathname.startsWith(above)) return undefined
  const path = repo.pathname.slice(above.length).replace(/\/+$/, '')
  const [owner = '', name = '', ...rest] = path.replace(/\.git$/, '').split('/')
  return rest.length === 0 && PART.test(owner) && PART.test(name) ? { owner, name } : undefined
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
  readonly type: 'github' | 'gitea'
  readonly url: string
  readonly apiUrl: string
}): string {
  const base = url.replace(/\/+$/, '')
  if (apiUrl !== '') return apiUrl.replace(/\/+$/, '')
  if (type === 'gitea') return `${base}/api/v1`
  return base === GITHUB ? 'https://api.github.com' : `${base}/api/v3`
}
