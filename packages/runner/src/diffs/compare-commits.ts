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
/** Of the files of one diff. With them and its patches, a report stays below its limit. */
const MAX_NAMES_BYTES = 512 * 1024
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
    files: listed(withPatches(changed, patches)),
  }
}

/** Where a branch left its base; empty if they have nothing in common. Undefined if git could not tell. */
export async function findMergeBase(
  git: GitOnRepository,
  base: string,
  commit: string,
): Promise<string | undefined> {
  const { code, stdout } = await git(['merge-base', base, commit], LIMITS)
  if (code === 0) return stdout.trim()
  return code === 1 ? '' : undefined
}

function withPatches(changed: readonly ChangedFile[], patches: readonly string[]): File[] {
  let at = 0
  let bytesLeft = MAX_DIFF_BYTES
  return changed.map(({ patches: count, ...file }) => {
    const own = patches.slice(at, at + count)
    at += count
    const patch = own.length < count ? undefined : cleanTexts(own.join(''))
    const bytes = patch === undefined || patch === '' ? 0 : sizeOf(patch)
    const isOmitted = patch === undefined || bytes > bytesLeft
    if (!isOmitted) bytesLeft -= bytes
    return { ...file, patch: isOmitted ? '' : patch, isOmitted }
  })
}

/** As many files as a report has room for: long names must not keep the diff from being recorded. */
function listed(files: readonly File[]): File[] {
  let bytesLeft = MAX_NAMES_BYTES
  const named = files.slice(0, MAX_DIFF_FILES).map((file) => ({
    ...file,
    path: cut(cleanTexts(file.path), MAX_PATH_LENGTH),
    oldPath: cut(cleanTexts(file.oldPath), MAX_PATH_LENGTH),
  }))
  const end = named.findIndex(({ path, oldPath }) => (bytesLeft -= sizeOf([path, oldPath])) < 0)
  return end < 0 ? named : named.slice(0, end)
}

/** In a report. */
function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
