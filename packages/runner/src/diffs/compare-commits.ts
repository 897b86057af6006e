import { MAX_DIFF_BYTES, MAX_DIFF_FILES, MAX_PATH_LENGTH, type RecordDiffRequest } from '@skein/contract'
import type { GitOutcome } from '../git/run-git.ts'
import { cleanTexts, cut } from '../clean-text.ts'
import { parseChanges, type ChangedFile } from './parse-changes.ts'
import { splitPatches } from './split-patches.ts'

/** Runs git on a bare repository that no agent can configure. */
export type GitOnRepository = (
  args: readonly string[],
  limits: { readonly timeoutMs: number; readonly maxOutputBytes: number },
) => Promise<GitOutcome>

export type Comparison = Pick<RecordDiffRequest, 'fileCount' | 'added' | 'removed' | 'files'>
type File = RecordDiffRequest['files'][number]

const LIMITS = { timeoutMs: 10_000, maxOutputBytes: 16 * 1024 * 1024 }
/** The tree without files, which every repository has. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** Nothing in the repository may change how it is shown, or hide it: no attributes, drivers or programs. */
const PLAIN = ['-c', `attr.tree=${EMPTY_TREE}`, '-c', 'core.attributesFile=/dev/null']
/** Larger files are not compared: content must not determine git's memory use. */
const SMALL = ['-c', 'core.bigFileThreshold=4m']
const SHOWN = ['--no-ext-diff', '--no-textconv', '--no-color', '--find-renames', '-l400', '--submodule=short']

/**
 * What changed between two commits; an empty base means everything was added. Undefined if git exceeded its limits
 * before it had even listed the files. Patches beyond the limit of a diff are left out, the others are complete.
 */
export async function compareCommits(
  git: GitOnRepository,
  base: string,
  commit: string,
): Promise<Comparison | undefined> {
  const compare = (...formats: string[]) =>
    git(
      [
        ...PLAIN,
        ...SMALL,
        'diff-tree',
        '-r',
        ...formats,
        ...SHOWN,
        base === '' ? EMPTY_TREE : base,
        commit,
        '--',
      ],
      LIMITS,
    )
  const listing = await compare('-z', '--raw', '--numstat')
  if (listing.code !== 0) return undefined
  const changed = parseChanges(listing.stdout)
  const { code, stdout } = await compare('--patch')
  const patches = splitPatches(stdout)
  // The last one may be cut off.
  if (code !== 0) patches.pop()
  return {
    fileCount: changed.length,
    added: changed.reduce((sum, { added }) => sum + added, 0),
    removed: changed.reduce((sum, { removed }) => sum + removed, 0),
    files: withPatches(changed, patches).slice(0, MAX_DIFF_FILES),
  }
}

/** Where a branch left its base; empty if they have nothing in common. */
export async function findMergeBase(git: GitOnRepository, base: string, commit: string): Promise<string> {
  const { code, stdout } = await git(['merge-base', base, commit], LIMITS)
  return code === 0 ? stdout.trim() : ''
}

function withPatches(changed: readonly ChangedFile[], patches: readonly string[]): File[] {
  let at = 0
  let bytesLeft = MAX_DIFF_BYTES
  return changed.map(({ patches: count, ...file }) => {
    const own = patches.slice(at, at + count)
    at += count
    const patch = own.length < count ? undefined : cleanTexts(own.join(''))
    const bytes = patch === undefined || patch === '' ? 0 : Buffer.byteLength(JSON.stringify(patch))
    const isOmitted = patch === undefined || bytes > bytesLeft
    if (!isOmitted) bytesLeft -= bytes
    return {
      ...file,
      path: cut(cleanTexts(file.path), MAX_PATH_LENGTH),
      oldPath: cut(cleanTexts(file.oldPath), MAX_PATH_LENGTH),
      patch: isOmitted ? '' : patch,
      isOmitted,
    }
  })
}
