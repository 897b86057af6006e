/** What a commit of saved work says about the repository it was made from. */
export interface SavedWork {
  readonly tree: string
  /** The branch that was checked out; empty when none was. */
  readonly branchRef: string
  /** The commit that was checked out; empty on a branch without commits. */
  readonly head: string
  readonly refs: readonly { readonly ref: string; readonly commit: string }[]
}

/** The text of the commit's message that the script of `save-work.ts` completes with the facts below. */
export const SAVED_WORK_TITLE = 'Unfinished work of a Skein agent'

const ID = '[0-9a-f]{40}(?:[0-9a-f]{24})?'

/**
 * Reads a commit as `git cat-file commit` prints it. The agent can write this commit as it likes, so nothing in
 * it is more than a wish about the agent's own repository. Undefined when it is not one of ours.
 */
export function parseSavedWork(text: string): SavedWork | undefined {
  const [header = '', title = ''] = text.split('\n\n')
  const tree = new RegExp(`^tree (${ID})$`, 'm').exec(header)?.[1]
  const branchRef = /^Branch: (refs\/heads\/\S+|none)$/m.exec(text)?.[1]
  const head = new RegExp(`^Head: (${ID}|none)$`, 'm').exec(text)?.[1]
  if (tree === undefined || branchRef === undefined || head === undefined) return undefined
  if (title.trim() !== SAVED_WORK_TITLE) return undefined
  const refs = [...text.matchAll(new RegExp(`^Ref: (${ID}) (refs/heads/\\S+|refs/stash)$`, 'gm'))]
  return {
    tree,
    branchRef: branchRef === 'none' ? '' : branchRef,
    head: head === 'none' ? '' : head,
    refs: refs.map(([, commit = '', ref = '']) => ({ ref, commit })),
  }
}
