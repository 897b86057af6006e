/** What a runner knows of the time that a lease has left. */
export interface LeaseTime {
  /** When the renewal was asked for that the service granted last. */
  readonly renewedAt: number
  /** Since then the service has said, from this time to that, that it cannot reach its database. */
  readonly outage?: { readonly from: number; readonly to: number }
}

/** After so long without a renewal a run is given up, whatever the service says. */
const LONGEST_OUTAGE_MS = 15 * 60_000

/** A shorter outage is none to the service either, which then grants nothing for it (docs/adr/0028). */
function shortestOutageMs(leaseMs: number): number {
  return Math.max(leaseMs / 3, 2_000)
}

export function renewedAt(askedAt: number): LeaseTime {
  return { renewedAt: askedAt }
}

/** The outage is known to have lasted at least from the first answer that told of it to the last question. */
export function outageHeard(time: LeaseTime, askedAt: number, heardAt: number): LeaseTime {
  return { ...time, outage: { from: time.outage?.from ?? heardAt, to: askedAt } }
}

/**
 * Until when nobody else can have the run. When an outage is over, the service gives everybody one more lease before
 * it takes one away, so one lease is left from whenever the outage was last noticed.
 */
export function expiryOf({ renewedAt: from, outage }: LeaseTime, leaseMs: number): number {
  if (!outage || outage.to - outage.from <= shortestOutageMs(leaseMs)) return from + leaseMs
  return Math.min(Math.max(from, outage.to) + leaseMs, from + Math.max(LONGEST_OUTAGE_MS, leaseMs))
}
