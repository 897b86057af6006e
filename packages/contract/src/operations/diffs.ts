import { Type, type Static } from 'typebox'
import { Diff, DiffFile, diffFacts, diffFileFacts, MAX_DIFF_FILES } from '../schemas/diff.ts'
import { AgentIdInput } from '../schemas/identity.ts'
import { Choice, Flag, request, response, Text } from '../schemas/primitives.ts'
import { agentIdInput } from './examples.ts'
import { defineOperation, MIB } from './operation.ts'
import { nextPageToken, pageQuery } from './paging.ts'

const file = {
  path: 'src/get.ts',
  oldPath: '',
  change: 'modified',
  kind: 'text',
  added: 1,
  removed: 1,
  patch: '@@ -7 +7 @@\n-  return fetch(url)\n+  return retry(() => fetch(url))\n',
  isOmitted: false,
} as const

const facts = {
  repo: 'https://git.example.com/acme/shop.git',
  branch: 'skein/fix-checkout',
  commit: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  scope: 'branch',
  baseBranch: 'main',
  baseCommit: 'd6b4e9bd5f9b3a1cb9a4d8ca0e2f5f3a6c1f2b7e',
  fileCount: 1,
  added: 1,
  removed: 1,
} as const

const diffId = '5f0c1c1e-7b1f-8a4e-9b0a-3f1c8f0f2d11'
const diff: Diff = { diffId, ...facts, runId: '3', createTime: '2026-11-15T09:30:00.000Z' }

const RecordDiffRequest = request('RecordDiffRequest', {
  lease: Text('The lease of the run.', { minLength: 1, maxLength: 512 }),
  ...diffFacts,
  files: Type.Array(request(undefined, diffFileFacts), {
    maxItems: MAX_DIFF_FILES,
    description: 'The changed files, in the order of git.',
  }),
})
export type RecordDiffRequest = Static<typeof RecordDiffRequest>

export const recordDiff = defineOperation({
  id: 'recordDiff',
  method: 'POST',
  path: '/v1/runner/diff',
  tag: 'runners',
  summary: 'Record what an agent pushed',
  description:
    'Replaces the diff of the same branch and scope `branch`. An agent keeps its ten newest diffs, and a tenant its 20,000 newest, of at most 2 GiB together. Repeating it has no further effect.',
  permission: 'run.execute',
  bodyLimitBytes: 4 * MIB,
  body: RecordDiffRequest,
  response: response('RecordDiffResponse', { diffId: Text('The diff.') }),
  reasons: ['RUN_NOT_CURRENT'],
  example: {
    request: {
      lease: '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10.0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f11.3.1',
      ...facts,
      files: [file],
    },
    response: { diffId },
  },
})

export const listDiffs = defineOperation({
  id: 'listDiffs',
  method: 'POST',
  path: '/v1/agent/diffs',
  tag: 'agents',
  summary: 'List the diffs of an agent',
  description:
    'What the agent pushed, the newest first: one diff for each branch against its base, and one for each of the last pushes.',
  permission: 'agent.read',
  body: request('ListDiffsRequest', { agentId: AgentIdInput }),
  response: response('ListDiffsResponse', { diffs: Type.Array(Diff) }),
  reasons: ['AGENT_NOT_FOUND'],
  example: { request: { agentId: agentIdInput }, response: { diffs: [diff] } },
})

const ReadDiffRequest = request('ReadDiffRequest', {
  agentId: AgentIdInput,
  diffId: Text('The diff.', { minLength: 1, maxLength: 64 }),
  withPatches: Type.Optional(Flag('Whether to read the hunks too. Default: only which files changed.')),
  file: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_DIFF_FILES, description: 'Only the file with this index.' }),
  ),
  ...pageQuery,
})
export type ReadDiffRequest = Static<typeof ReadDiffRequest>

export const readDiff = defineOperation({
  id: 'readDiff',
  method: 'POST',
  path: '/v1/agent/diff',
  tag: 'agents',
  summary: 'Read a diff',
  description:
    'The files in the order of git. With patches, a page ends after about a megabyte; a file is never split.',
  permission: 'agent.read',
  body: ReadDiffRequest,
  response: response('ReadDiffResponse', { diff: Diff, files: Type.Array(DiffFile), nextPageToken }),
  reasons: ['AGENT_NOT_FOUND', 'DIFF_NOT_FOUND', 'PAGE_TOKEN_INVALID'],
  example: {
    request: { agentId: agentIdInput, diffId, withPatches: true },
    response: { diff, files: [{ index: 0, ...file, patchBytes: 67 }], nextPageToken: '' },
  },
})

const CommentOnDiffRequest = request('CommentOnDiffRequest', {
  agentId: AgentIdInput,
  diffId: Text('The diff.', { minLength: 1, maxLength: 64 }),
  file: Type.Integer({ minimum: 0, maximum: MAX_DIFF_FILES, description: 'The index of the file.' }),
  side: Choice(['before', 'after'], 'Which version of the file the line number is from.'),
  line: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'The line.' }),
  text: Text('What the agent should know or do.', { minLength: 1, maxLength: 8192 }),
})
export type CommentOnDiffRequest = Static<typeof CommentOnDiffRequest>

export const commentOnDiff = defineOperation({
  id: 'commentOnDiff',
  method: 'POST',
  path: '/v1/agent/diff/comment',
  tag: 'follow-ups',
  summary: 'Comment on a line of a diff',
  description:
    'Sends the comment to the agent as a follow-up with a task that is gone when its run ends. The same comment sent again has no further effect, unless it was cleared before the agent got it.',
  permission: 'agent.drive',
  isMutation: true,
  body: CommentOnDiffRequest,
  response: response('CommentOnDiffResponse', { followUpId: Text('The follow-up’s id.') }),
  reasons: ['AGENT_NOT_FOUND', 'AGENT_NOT_RUNNING', 'DIFF_NOT_FOUND', 'QUOTA_EXCEEDED'],
  example: {
    request: {
      agentId: agentIdInput,
      diffId,
      file: 0,
      side: 'after',
      line: 7,
      text: 'Retry at most three times.',
    },
    response: { followUpId: 'diff-comment:0b3f5c1e9a7d4e2f8c6b1a0d9e8f7a6b' },
  },
})
