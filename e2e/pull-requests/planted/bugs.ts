import type { Bug } from '../../crash/planted/bug.ts'

const STORE = 'packages/store/src/code-hosts/pull-request-store.ts'
const CONVERSATION = 'packages/core/src/code-hosts/reviews/conversation.ts'
const PLAN = 'packages/core/src/code-hosts/reviews/plan-round.ts'

/** Plausible bugs that the test must notice. */
export const BUGS: readonly Bug[] = [
  {
    name: 'deduplication-by-event',
    what: 'Which comments the agent has seen is not kept for each thread.',
    edits: [
      {
        file: 'packages/engine/src/code-hosts/reviews/gather-round.ts',
        find: 'seen: comments.map((comment) => commentMark(comment, digest)),',
        replace: 'seen: [],',
      },
    ],
  },
  {
    name: 'answer-without-marker-check',
    what: 'An answer that was posted but not recorded is posted again.',
    edits: [
      {
        file: 'packages/engine/src/code-hosts/reviews/post-answers.ts',
        find: 'if (!hasAnswer(threads, answerId)) {',
        replace: 'if (hasAnswer(threads, answerId) || true) {',
      },
    ],
  },
  {
    name: 'quiet-window-not-stored',
    what: 'The quiet window is lost with the server that received the webhook.',
    edits: [
      { file: STORE, find: 'quietAt: timestampOf(row.quiet_at),', replace: 'quietAt: 0,' },
      {
        file: STORE,
        find: 'look_at = least(now() + make_interval(secs => $9 / 1000.0),',
        replace: 'look_at = least(now() + make_interval(secs => $9 / 100000.0),',
      },
    ],
  },
  {
    name: 'stranger-delivered',
    what: 'Anyone who writes a comment steers the agent.',
    edits: [
      {
        file: CONVERSATION,
        find: "return permission === 'admin' || permission === 'write'",
        replace: 'return permission !== null',
      },
      { file: CONVERSATION, find: '!mayHaveAccess || ', replace: '' },
    ],
  },
  {
    name: 'rounds-reset-by-force-push',
    what: 'Another commit resets the count of rounds.',
    edits: [
      {
        file: PLAN,
        find: '    commitSince: commit === before.commit ? before.commitSince : now,',
        replace:
          '    commitSince: commit === before.commit ? before.commitSince : now,\n    rounds: commit === before.commit ? before.rounds : 0,',
      },
    ],
  },
  {
    name: 'start-reply-without-marker-check',
    what: 'A reply to an issue that was posted but not recorded is posted again.',
    edits: [
      {
        file: 'packages/engine/src/code-hosts/starts/advance-issue.ts',
        find: 'if (read.comments.some(({ body }) => body.includes(startMarker(id)))) return',
        replace: 'if (read.comments.length < 0) return',
      },
    ],
  },
  {
    name: 'start-by-delivery',
    what: 'Every webhook about an issue starts its agent again.',
    edits: [
      {
        file: 'packages/engine/src/code-hosts/starts/gather-requests.ts',
        find: '{ policy, seen: state.seen, notBefore }',
        replace:
          "{ policy, seen: { hasBody: false, label: '', assignment: '', comments: [], others: [] }, notBefore }",
      },
    ],
  },
  {
    name: 'agent-for-each-request',
    what: 'The agent is named after the request, not after the issue.',
    edits: [
      {
        file: 'packages/engine/src/code-hosts/starts/plan-order.ts',
        find: 'path: [pullRequestName(repository, number, placeDigest(codeHost, repository))],',
        replace:
          'path: [`${pullRequestName(repository, number, placeDigest(codeHost, repository))}-${uuidV7().slice(-8)}`],',
      },
    ],
  },
]
