const MINUTE_MS = 60_000
/** Seals end at whole multiples of this. */
const STEP_MS = 5 * MINUTE_MS
/** An entry is committed slightly after its time: far less than this, whatever the command. */
const SETTLED_AFTER_MS = 5 * MINUTE_MS

/** Servers seal every few minutes, so a seal this late has a reason. */
const LATE_MS = 60 * MINUTE_MS

export interface TimeSpan {
  readonly from: number
  readonly until: number
}

/**
 * What to seal next, or undefined if nothing has settled yet. It never crosses the end of a month, because the log expires
 * by months. After an outage, one seal covers all of it.
 */
export function nextAuditSpan(sealedUntil: number, now: number): TimeSpan | undefined {
  const settled = Math.floor((now - SETTLED_AFTER_MS) / STEP_MS) * STEP_MS
  const until = Math.min(settled, nextMonth(sealedUntil))
  return until > sealedUntil ? { from: sealedUntil, until } : undefined
}

/** A longer time, split at the ends of months. */
export function auditSpans({ from, until }: TimeSpan): TimeSpan[] {
  const spans: TimeSpan[] = []
  for (let at = from; at < until; at = nextMonth(at))
    spans.push({ from: at, until: Math.min(until, nextMonth(at)) })
  return spans
}

function nextMonth(at: number): number {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

/** Everything that must not change. */
export interface AuditSeal extends TimeSpan {
  readonly tenantId: string
  readonly number: bigint
  readonly entries: number
  /** Of the entries. */
  readonly digest: string
  /** Of the seal before it; empty for the first. */
  readonly previousMac: string
  readonly sealedAt: number
}

/** What the mac of a seal is over: it includes the seal before, so that none can be left out. */
export function sealedText(seal: AuditSeal): string {
  const { tenantId, number, from, until, entries, digest, previousMac, sealedAt } = seal
  return ['audit seal', tenantId, number, from, until, entries, digest, previousMac, sealedAt].join('\n')
}

export interface FoundSeal extends Omit<AuditSeal, 'tenantId'> {
  readonly mac: string
  /** What the log holds in its span of time now. */
  readonly foundEntries: number
  readonly foundDigest: string
}

/** Looks through a tenant's chain, seal by seal, and says what does not fit. */
export class AuditChainCheck {
  readonly #tenantId: string
  readonly #expiredBefore: number
  readonly #isMac: (text: string, mac: string) => boolean
  readonly problems: string[] = []
  /** What may be harmless. */
  readonly notes: string[] = []
  /** From when on entries are counted. */
  countedFrom: number
  #last: FoundSeal | undefined
  #found = 0

  /** Entries before `expiredBefore` may be gone. */
  constructor(options: {
    readonly tenantId: string
    readonly expiredBefore: number
    readonly isMac: (text: string, mac: string) => boolean
  }) {
    this.#tenantId = options.tenantId
    this.#expiredBefore = options.expiredBefore
    this.#isMac = options.isMac
    this.countedFrom = options.expiredBefore
  }

  add(seal: FoundSeal): void {
    this.#checkLink(seal)
    this.#checkTime(seal)
    if (seal.from < this.#expiredBefore) this.countedFrom = Math.max(this.#expiredBefore, seal.until)
    else this.#checkEntries(seal)
    this.#last = seal
  }

  get lastNumber(): bigint {
    return this.#last?.number ?? 0n
  }

  /** At the end, with how many entries there are from `countedFrom` until where everything is sealed. */
  checkTotal(entries: number): void {
    const unsealed = entries - this.#found
    if (unsealed > 0) {
      this.problems.push(`${count(unsealed)} added to times that are sealed, or their seals were removed.`)
    }
  }

  #checkLink(seal: FoundSeal): void {
    const last = this.#last
    if (!this.#isMac(sealedText({ ...seal, tenantId: this.#tenantId }), seal.mac)) {
      this.#complain(seal, 'the seal is not ours: it was changed, or made with another master key')
    } else if (!last) {
      // The first that is there may continue from one that has expired and was deleted.
      const isFirst = seal.number === 1n && seal.previousMac === ''
      if (!isFirst && seal.until > this.#expiredBefore)
        this.#complain(seal, 'the seals before it are missing')
    } else if (seal.number !== last.number + 1n) {
      this.#complain(seal, `seals ${last.number + 1n} to ${seal.number - 1n} are missing`)
    } else if (seal.previousMac !== last.mac) {
      this.#complain(seal, 'the seal before it was replaced')
    }
  }

  /** Someone who moves the position back makes the servers seal what was changed since. */
  #checkTime({ number, until, sealedAt }: FoundSeal): void {
    if (sealedAt - until <= LATE_MS) return
    const at = new Date(sealedAt).toISOString()
    this.notes.push(`Seal ${number} was made at ${at}: no server was running, or it was made again.`)
  }

  #checkEntries(seal: FoundSeal): void {
    const { entries, digest, foundEntries, foundDigest } = seal
    this.#found += foundEntries
    if (foundEntries < entries) this.#complain(seal, `${count(entries - foundEntries)} removed`)
    else if (foundEntries > entries) this.#complain(seal, `${count(foundEntries - entries)} added`)
    else if (foundDigest !== digest) this.#complain(seal, 'an entry was changed')
  }

  #complain({ number, from, until }: FoundSeal, what: string): void {
    const [begin, end] = [from, until].map((at) => new Date(at).toISOString())
    this.problems.push(`Seal ${number}, ${begin} to ${end}: ${what}.`)
  }
}

function count(entries: number): string {
  return entries === 1 ? '1 entry was' : `${entries} entries were`
}
