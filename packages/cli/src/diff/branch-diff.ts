import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../profile/environment.ts'
import { GitError, runGit } from './git.ts'
import type { PushedBranch } from './pushed-branches.ts'

export interface DiffRequest extends PushedBranch {
  /** Empty means the repository's default. */
  readonly baseBranch: string
  readonly stat: boolean
}

/**
 * The diff of a branch since it left its base. Uses the clone in the working directory if it is one of this
 * repository, so that little must be fetched; otherwise a temporary clone.
 */
export async function diffBranch(request: DiffRequest, folder: string, env: Environment): Promise<string> {
  if (await isCloneOf(request.repo, folder, env)) return diffIn(request, folder, env)
  const temporary = await mkdtemp(join(tmpdir(), 'skein-diff-'))
  try {
    await runGit(temporary, ['init', '--quiet', '--bare'], env)
    return await diffIn(request, temporary, env)
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

async function diffIn(
  { repo, ref, commit, baseBranch, stat }: DiffRequest,
  folder: string,
  env: Environment,
): Promise<string> {
  const base = baseBranch === '' ? 'HEAD' : `refs/heads/${baseBranch}`
  const fetch = ['fetch', '--quiet', '--no-tags', '--end-of-options', repo]
  await runGit(folder, [...fetch, ref], env)
  await runGit(folder, [...fetch, base], env)
  const tip = (await runGit(folder, ['rev-parse', 'FETCH_HEAD'], env)).trim()
  const show = ['--no-color', '--no-ext-diff', '--no-textconv', ...(stat ? ['--stat'] : [])]
  return runGit(folder, ['diff', ...show, `${tip}...${commit}`, '--'], env)
}

async function isCloneOf(repo: string, folder: string, env: Environment): Promise<boolean> {
  try {
    const remotes = await runGit(folder, ['config', '--get-regexp', String.raw`^remote\..*\.url$`], env)
    return remotes.split('\n').some((line) => sameAddress(line.replace(/^\S+ /, ''), repo))
  } catch (error) {
    // No repository here, or one without remotes.
    if (error instanceof GitError) return false
    throw error
  }
}

function sameAddress(left: string, right: string): boolean {
  return plainAddress(left) === plainAddress(right)
}

function plainAddress(address: string): string {
  return address
    .trim()
    .replace(/\/$/, '')
    .replace(/\.git$/, '')
}
