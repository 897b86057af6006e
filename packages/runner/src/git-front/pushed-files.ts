import type { HostGit } from '../git/host-git.ts'

export interface FilesQuery {
  readonly git: HostGit
  readonly mirrorDir: string
  readonly commit: string
  readonly env: Readonly<Record<string, string>>
  readonly maxFiles: number
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

const MAX_COMMITS = 10_000
/** Git's own limit is far lower, but files in trees may have any name. */
const MAX_NAME_BYTES = 64 * 1024

/**
 * The files changed by commits that no branch or tag has yet. This is correct for new branches, for forced pushes,
 * and for merges of someone else's work, where files count if they differ from all parents. Compares trees and never
 * contents, which would take hundreds of times their size. Called while the push waits, so "yet" means before it.
 * Refs of saved work don't count, because they contain the agent's own commits before it pushes them. Undefined if
 * git exceeded its limits.
 */
export function listPushedFiles(query: FilesQuery): Promise<string[] | undefined> {
  const { git, mirrorDir, commit, env, maxFiles, timeoutMs, signal } = query
  const args = ['-z', '--format=', '--name-only', '--no-renames', '-c', `--max-count=${MAX_COMMITS}`]
  const { child, kill } = git.start({
    args: ['--git-dir', mirrorDir, 'log', ...args, commit, '--not', '--branches', '--tags'],
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const files = new Set<string>()
  let rest: Buffer = Buffer.alloc(0)
  const timer = setTimeout(kill, timeoutMs)
  signal.addEventListener('abort', kill, { once: true })
  if (signal.aborted) kill()
  child.stdout?.on('data', (chunk: Buffer) => {
    if (files.size >= maxFiles) return
    const names = splitAtZeros(Buffer.concat([rest, chunk]))
    rest = names.pop() ?? rest
    for (const bytes of names) {
      // Git ends a commit's empty header with a line break.
      const name = bytes.toString().replace(/^\n+/, '')
      if (name !== '' && files.size < maxFiles) files.add(name)
    }
    if (files.size >= maxFiles || rest.length > MAX_NAME_BYTES) kill()
  })
  return new Promise((resolve) => {
    const finish = (code: number | null) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', kill)
      const isWhole = code === 0 || files.size >= maxFiles
      resolve(isWhole ? [...files].sort() : undefined)
    }
    child.on('error', () => finish(null))
    child.on('close', finish)
  })
}

/** The last part is what follows the last zero. */
function splitAtZeros(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = []
  let from = 0
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, from)) {
    parts.push(bytes.subarray(from, at))
    from = at + 1
  }
  parts.push(bytes.subarray(from))
  return parts
}
