import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const MIGRATIONS = 'packages/store/migrations'

export interface PreviousRelease {
  /** A checkout of it, with its dependencies. */
  readonly root: string
  readonly commit: string
  remove(): Promise<void>
}

/** Checks out a revision beside the repository, with exactly its own dependencies. */
export async function checkOut(root: string, folder: string, from: string): Promise<PreviousRelease> {
  const revision = from === '' ? await choosePrevious(root) : from
  const commit = await git(root, 'rev-parse', '--short', `${revision}^{commit}`)
  if (commit === (await git(root, 'rev-parse', '--short', 'HEAD'))) {
    throw new Error(`${revision} is this version: name the previous one with --from`)
  }
  const previous = join(folder, 'previous')
  await git(root, 'worktree', 'add', '--quiet', '--detach', previous, commit)
  if (hasSameLock(root, previous)) await run('cp', ['-al', join(root, 'node_modules'), previous])
  else await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: previous })
  return {
    root: previous,
    commit,
    remove: async () => void (await git(root, 'worktree', 'remove', '--force', previous)),
  }
}

/**
 * The newest tag. Without one, the oldest commit whose migrations are all still as they were: its database can
 * become one of today, and today's is one that it can work with.
 */
async function choosePrevious(root: string): Promise<string> {
  const tag = await git(root, 'describe', '--tags', '--abbrev=0').catch(() => '')
  if (tag !== '') return tag
  const history = ['log', '--first-parent', '--max-count=1', '--format=%H']
  const changed = await git(root, ...history, '--diff-filter=MDR', '--', MIGRATIONS)
  if (changed === '')
    throw new Error('There is no tag and not enough history: name the previous version with --from')
  return changed
}

function hasSameLock(root: string, previous: string): boolean {
  const [ours, theirs] = [root, previous].map((each) => readFileSync(join(each, 'package-lock.json'), 'utf8'))
  return ours === theirs
}

async function git(root: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('git', ['-C', root, ...args])
  return stdout.trim()
}
