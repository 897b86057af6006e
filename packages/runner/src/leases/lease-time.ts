/** What a runner knows about a lease's remaining time. */
export interface LeaseTime {
  /** When the last successful renewal was requested. */
  readonly renewedAt: number
  /** Since then the service reported, in this period, that it cannot reach its database. */
  readonly outage?: { readonly from: number; readonly to: number }
}

/** After this long without a renewal a run is given up, whatever the service says. */
const LONGEST_OUTAGE_MS = 15 * 60_000

/** The service doesn't count shorter outages either, and grants no extension for them (docs/adr/0028). */
function shortestOutageMs(leaseMs: number): number {
  return Math.max(leaseMs / 3, 2_000)
}

export function renewedAt(askedAt: number): LeaseTime {
  return { renewedAt: askedAt }
}

/** The outage lasted at least from the first response that reported it to the last request. */
export function outageHeard(time: LeaseTime, askedAt: number, heardAt: number): LeaseTime {
  return { ...time, outage: { from: time.outage?.from ?? heardAt, to: askedAt } }
}

/**
 * Until when nobody else can have the run. After an outage, the service grants every lease one full extension before
 * it takes any away, so one full lease remains from when the outage was last noticed.
 */
export function expiryOf({ renewedAt: from, outage }: LeaseTime, leaseMs: number): number {
  if (!outage || outage.to - outage.from <= shortestOutageMs(leaseMs)) return from + leaseMs
  return Math.min(Math.max(from, outage.to) + leaseMs, from + Math.max(LONGEST_OUTAGE_MS, leaseMs))
}
