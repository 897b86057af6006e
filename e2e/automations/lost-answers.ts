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
 * An answer can be lost only with the process or the database that was to record it, which takes a kill between the
 * request and its repetition. How soon after the answer is no matter: a server that waits for its database keeps it, and
 * may be killed while it waits. A kill explains as many lost answers as a server can have waited for.
 */
export function withoutKill(
  lost: readonly LostAnswer[],
  killedAt: readonly number[],
  perKill: number,
): string[] {
  const explained = new Map<number, number>()
  return lost
    .toSorted((one, other) => one.until - other.until)
    .filter(({ from, until }) => {
      const kill = killedAt.find((at) => at >= from && at <= until && (explained.get(at) ?? 0) < perKill)
      if (kill !== undefined) explained.set(kill, (explained.get(kill) ?? 0) + 1)
      return kill === undefined
    })
    .map(({ name }) => `${name} was accepted, nothing was killed, and it came again`)
}
