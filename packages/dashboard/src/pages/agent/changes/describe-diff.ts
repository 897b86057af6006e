import type { Diff, DiffFile } from '@skein/client'

/** For the list of diffs to choose from. */
export function describeDiff({ scope, branch, baseBranch, commit }: Diff): string {
  if (scope === 'push') return `${branch}: push ${commit.slice(0, 8)}`
  return baseBranch === '' ? `${branch}: everything` : `${branch}: all changes since ${baseBranch}`
}

export function countFiles(count: number): string {
  return count === 1 ? '1 file' : `${count.toLocaleString('en')} files`
}

/** Why there is nothing to show; undefined if there is. */
export function explainEmpty({ kind, change, patchBytes, isOmitted }: DiffFile): string | undefined {
  if (isOmitted) return 'The diff is too large to show this file. See it with: skein diff --fetch'
  if (kind === 'binary') return 'A binary file, or one of more than 4 MiB.'
  if (patchBytes > 0) return undefined
  return change === 'renamed' ? 'Renamed without changes.' : 'No lines changed.'
}

export const CHANGE_MARKS: Readonly<
  Record<DiffFile['change'], { readonly mark: string; readonly name: string }>
> = {
  added: { mark: 'A', name: 'added' },
  deleted: { mark: 'D', name: 'deleted' },
  modified: { mark: 'M', name: 'modified' },
  renamed: { mark: 'R', name: 'renamed' },
  'type-changed': { mark: 'T', name: 'type changed' },
}
