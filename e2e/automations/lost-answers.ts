/** A request as a receiver saw it. */
export interface Request {
  readonly at: number
  /** What it answered. */
  readonly status: number
  /** When the answer had been handed to the network; undefined if the other side was gone. */
  readonly answeredAt: number | undefined
}

/** An answer that was not recorded, so that the same came again. */
interface LostAnswer {
  readonly name: string
  readonly from: number
  readonly until: number
}

/** When something was killed and did not work: a moment for a server, for longer if it was the database or was frozen. */
export interface Outage {
  readonly from: number
  readonly until: number
}

/** A busy machine reads a request from its socket up to this long after the sender was killed. */
const READ_WITHIN_MS = 2_000

export function isAccepted({ status }: Pick<Request, 'status'>): boolean {
  return status >= 200 && status < 300
}

/** Of the requests for one thing, in order: those that were accepted although it came again, if nobody knows why. */
export function findLostAnswers<Sent extends Request>(
  name: string,
  requests: readonly Sent[],
  isKnown: (request: Sent) => boolean,
): LostAnswer[] {
  return requests.flatMap((request, index) => {
    const next = requests[index + 1]
    if (!next || !isAccepted(request) || request.answeredAt === undefined || isKnown(request)) return []
    return [{ name, from: request.at - READ_WITHIN_MS, until: next.at }]
  })
}

/**
 * An answer can be lost only with the process or the database that was to record it, which takes an outage of one of them
 * between the request and its repetition. How soon after the answer is no matter: a server that waits for its database
 * keeps it, and may be killed while it waits, or give up when its time is over. An outage explains as many lost answers as
 * a server can have waited for.
 */
export function withoutKill(
  lost: readonly LostAnswer[],
  outages: readonly Outage[],
  perOutage: number,
): string[] {
  const explained = new Map<Outage, number>()
  return lost
    .toSorted((one, other) => one.until - other.until)
    .filter(({ from, until }) => {
      const outage = outages.find(
        (one) => one.until >= from && one.from <= until && (explained.get(one) ?? 0) < perOutage,
      )
      if (outage) explained.set(outage, (explained.get(outage) ?? 0) + 1)
      return !outage
    })
    .map(({ name, from, until }) => {
      const seconds = [from + READ_WITHIN_MS, until].map((at) => (at / 1000).toFixed(1))
      return `${name} was accepted at ${seconds[0]} s, nothing was killed, and it came again at ${seconds[1]} s`
    })
}
