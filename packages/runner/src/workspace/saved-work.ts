/** What a saved-work commit says about the repository it was made from. */
export interface SavedWork {
  readonly tree: string
  /** The checked-out branch; empty if none. */
  readonly branchRef: string
  /** The checked-out commit; empty on a branch without commits. */
  readonly head: string
  readonly refs: readonly { readonly ref: string; readonly commit: string }[]
}

/** Title of the commit message. The script in `save-work.ts` adds the facts below. */
export const SAVED_WORK_TITLE = 'Unfinished work of a Skein agent'

const ID = '[0-9a-f]{40}(?:[0-9a-f]{24})?'

/**
 * Parses a commit as printed by `git cat-file commit`. The agent can write this commit freely, so its content can
 * only affect the agent's own repository. Undefined if it isn't one of ours.
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
