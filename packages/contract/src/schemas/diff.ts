import { Type, type Static } from 'typebox'
import { Choice, Flag, Int64, response, Text, Timestamp } from './primitives.ts'

const DIFF_SCOPES = ['branch', 'push'] as const
const FILE_CHANGES = ['added', 'modified', 'deleted', 'renamed', 'type-changed'] as const
const FILE_KINDS = ['text', 'binary', 'link', 'submodule'] as const

/** Of one diff. More files are only counted. */
export const MAX_DIFF_FILES = 1000
/** Patches of one diff, as JSON. What does not fit is left out. */
export const MAX_DIFF_BYTES = 3 * 1024 * 1024
export const MAX_PATH_LENGTH = 4096

const commit = (description: string) => Text(description, { maxLength: 64, pattern: '^[0-9a-f]*$' })
const count = (description: string) => Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description })
const path = (description: string) => Text(description, { maxLength: MAX_PATH_LENGTH })

/** What a runner says about a diff. */
export const diffFacts = {
  repo: Text('The repository’s URL.', { minLength: 1, maxLength: 2048 }),
  branch: Text('The branch that was pushed.', { minLength: 1, maxLength: 512 }),
  commit: commit('What was pushed.'),
  scope: Choice(
    DIFF_SCOPES,
    'What it is compared with: the commit where the branch left its base, or what was pushed before.',
  ),
  baseBranch: Text('The branch that the work started from; empty if the repository was empty.', {
    maxLength: 512,
  }),
  baseCommit: commit('The commit it is compared with; empty for none.'),
  fileCount: count('Changed files, including those that are not listed.'),
  added: count('Added lines.'),
  removed: count('Removed lines.'),
}

/** What a runner says about a file of a diff. */
export const diffFileFacts = {
  path: path('Where the file is; for a deleted one, where it was.'),
  oldPath: path('The old path of a renamed file; empty if it was not renamed.'),
  change: Choice(FILE_CHANGES, 'What happened to the file.'),
  kind: Choice(FILE_KINDS, 'What the file is. Files over 4 MiB count as binary.'),
  added: count('Added lines; 0 for a binary file.'),
  removed: count('Removed lines; 0 for a binary file.'),
  patch: Text('The hunks, as git shows them, in UTF-8. Empty if there are none or if they were left out.', {
    maxLength: MAX_DIFF_BYTES,
  }),
  isOmitted: Flag('Whether the hunks were left out because the diff is too large.'),
}

export const Diff = response(
  'Diff',
  {
    diffId: Text('Identifies it among the diffs of the agent.'),
    ...diffFacts,
    runId: Int64('The run that pushed it.'),
    createTime: Timestamp('When it was recorded.'),
  },
  { description: 'What an agent pushed, compared with a base.' },
)
export type Diff = Static<typeof Diff>

export const DiffFile = response(
  'DiffFile',
  {
    index: Type.Integer({ description: 'Its position in the diff, from 0.' }),
    ...diffFileFacts,
    patchBytes: count('The size of the hunks, also if they were not asked for.'),
  },
  { description: 'A file of a diff.' },
)
export type DiffFile = Static<typeof DiffFile>
