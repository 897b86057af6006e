const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS

/** Every bound of the review loop. What does not fit waits for the next round, or is cut and says so. */
export const REVIEW_LIMITS = {
  /** News is gathered until nothing more has come for this long, */
  quietMs: 20 * SECOND_MS,
  /** but no longer than this. */
  longestQuietMs: 2 * MINUTE_MS,
  /** Checks that take longer than this are not waited for. */
  checksMs: 30 * MINUTE_MS,
  threadsPerRound: 50,
  commentsPerThread: 20,
  commentLength: 8_000,
  /** Of a task; the message has the whole comment. */
  taskTextLength: 2_000,
  /** The end of a log. */
  logLength: 4_000,
  checksPerRound: 10,
  /** All quoted texts of a round together. */
  roundLength: 100_000,
  /** Comments that were delivered before, for each thread. */
  seenPerThread: 200,
  /** People whose access is asked about, each time. */
  authors: 50,
  /** Answers of a code host with a hundred entries each, for each list that it has. */
  pages: 10,
} as const
