import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const MIGRATIONS = 'packages/store/migrations'

export interface PreviousRelease {
  /** Its packages, installed from their tarballs as a user would. */
  readonly installed: string
  /** A checkout of it, for the runners of the load: they are not published. */
  readonly root: string
  readonly commit: string
  remove(): Promise<void>
}

/** Checks out a revision beside the repository, packs it with its own script and installs the tarballs. */
export async function installPrevious(root: string, folder: string, from: string): Promise<PreviousRelease> {
  const revision = from === '' ? await choosePrevious(root) : from
  const commit = await git(root, 'rev-parse', '--short', `${revision}^{commit}`)
  if (commit === (await git(root, 'rev-parse', '--short', 'HEAD'))) {
    throw new Error(`${revision} is this version: name the previous one with --from`)
  }
  const previous = join(folder, 'previous')
  await git(root, 'worktree', 'add', '--quiet', '--detach', previous, commit)
  if (hasSameLock(root, previous)) await run('cp', ['-al', join(root, 'node_modules'), previous])
  else await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: previous })
  const remove = async (): Promise<void> => {
    await git(root, 'worktree', 'remove', '--force', previous)
  }
  try {
    return { installed: await installPacked(previous, folder), root: previous, commit, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Dependencies are those that the published manifests allow, not those of the lock file. */
async function installPacked(previous: string, folder: string): Promise<string> {
  const tarballs = join(folder, 'tarballs')
  await run(process.execPath, ['scripts/pack.ts', '--out', tarballs], { cwd: previous })
  const installed = join(folder, 'installed')
  mkdirSync(installed)
  writeFileSync(join(installed, 'package.json'), '{"private":true,"type":"module"}')
  const files = readdirSync(tarballs).map((name) => join(tarballs, name))
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...files], { cwd: installed })
  return installed
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
