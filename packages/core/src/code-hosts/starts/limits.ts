const SECOND_MS = 1_000
const HOUR_MS = 60 * 60 * SECOND_MS

/** Every bound of starting agents from a code host that is not the workspace's to choose. */
export const START_LIMITS = {
  /** People label, assign and mention at the same time: that is one start. */
  quietMs: 3 * SECOND_MS,
  /** Whatever is older when it is first seen starts nothing. */
  maxAgeMs: 7 * 24 * HOUR_MS,
  /** Limits count the starts of so long. */
  windowMs: HOUR_MS,
  /** Starts of a tenant within it. */
  perTenant: 200,
  titleLength: 256,
  bodyLength: 32_000,
  commentLength: 8_000,
  /** Mentions that one message has; the newest. */
  comments: 10,
  /** Orders in a row from one person on one issue; a day without one ends the row. */
  streak: 10,
  streakMs: 24 * HOUR_MS,
  /** Mentions that were dealt with, for each issue. */
  seenComments: 500,
  /** People whose access is asked about, each time. */
  authors: 20,
  /** How often an agent that starts or ends at the same moment is retried. */
  tries: 5,
  /** What may pass by itself is tried for so long. */
  patienceMs: HOUR_MS,
  /** How often issues are listed to find what webhooks missed. */
  sweepMs: 5 * 60 * SECOND_MS,
} as const
