/** What one agent may use of the front, so that something is left for the others. */
export interface FrontLimits {
  /** Connections per door, and per token on the shared port. */
  readonly connections: number
  /** Connections on the shared port without a token so far. One more closes the oldest. */
  readonly strangers: number
  /** Per token. Excess requests wait. */
  readonly requests: RateLimit
  /** Requests without a valid token, per door: slows down guessing. */
  readonly guesses: RateLimit
  /** From the connection, or from the previous response, to the end of the headers. */
  readonly headersMs: number
  /** For a whole request. A push can be large, so this only ends what would never end. */
  readonly uploadMs: number
  readonly keepAliveMs: number
}

export interface RateLimit {
  readonly perSecond: number
  readonly burst: number
  /** A request that would wait longer is rejected. */
  readonly maxWaitMs: number
}

export const FRONT_LIMITS: FrontLimits = {
  connections: 64,
  strangers: 128,
  requests: { perSecond: 50, burst: 200, maxWaitMs: 10_000 },
  guesses: { perSecond: 5, burst: 20, maxWaitMs: 10_000 },
  headersMs: 15_000,
  uploadMs: 3_600_000,
  keepAliveMs: 65_000,
}
