/** What one agent can take of the front, so that something is left for the others. */
export interface FrontLimits {
  /** Connections through one door, and of one token on the port that all share. */
  readonly connections: number
  /** Connections on the shared port that have not shown a token yet. One more, and the oldest has to go. */
  readonly strangers: number
  /** Of one token. More than that wait their turn. */
  readonly requests: RateLimit
  /** Requests without a good token, through one door: whoever guesses does it slowly. */
  readonly guesses: RateLimit
  /** From the connection, or from the answer before, to the end of the headers. */
  readonly headersMs: number
  /** For a whole request. A push can be large, so this only ends what would go on for ever. */
  readonly uploadMs: number
  readonly keepAliveMs: number
}

export interface RateLimit {
  readonly perSecond: number
  readonly burst: number
  /** Whoever would have to wait longer is refused instead. */
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
