const MINUTE_MS = 60_000
/** Seals end at whole multiples of this. */
const STEP_MS = 5 * MINUTE_MS
/** An entry is committed slightly after its time: far less than this, whatever the command. */
const SETTLED_AFTER_MS = 5 * MINUTE_MS

interface TimeSpan {
  readonly from: number
  readonly until: number
}

/**
 * What to seal next, or undefined if nothing has settled yet. Never in two months, because the log expires by months. After
 * an outage one seal covers all of it.
 */
export function nextAuditSpan(sealedUntil: number, now: number): TimeSpan | undefined {
  const settled = Math.floor((now - SETTLED_AFTER_MS) / STEP_MS) * STEP_MS
  const date = new Date(sealedUntil)
  const nextMonth = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
  const until = Math.min(settled, nextMonth)
  return until > sealedUntil ? { from: sealedUntil, until } : undefined
}

/** Everything that must not change. */
export interface AuditSeal extends TimeSpan {
  readonly tenantId: string
  readonly number: bigint
  readonly entries: number
  /** Of the entries. */
  readonly digest: string
}

/** What the mac of a seal is over: it includes the seal before, so that none can be left out. */
export function sealedText(seal: AuditSeal, previousMac: string): string {
  const { tenantId, number, from, until, entries, digest } = seal
  return ['audit seal', tenantId, number, from, until, entries, digest, previousMac].join('\n')
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
  /** From when on every entry is covered by a seal. Undefined without seals of entries that have not expired. */
  beginsAt: number | undefined
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
  }

  add(seal: FoundSeal): void {
    this.#checkLink(seal)
    if (seal.from >= this.#expiredBefore) this.#checkEntries(seal)
    this.#last = seal
  }

  get lastNumber(): bigint {
    return this.#last?.number ?? 0n
  }

  /** At the end, with how many entries there are between `beginsAt` and the time until which everything is sealed. */
  checkTotal(entries: number): void {
    const added = entries - this.#found
    if (added > 0) this.problems.push(`${count(added)} added to times in which nothing had happened.`)
  }

  #checkLink(seal: FoundSeal): void {
    const last = this.#last
    // The first that is there continues from one that has expired, and cannot be checked itself.
    if (!last && seal.number !== 1n) {
      if (seal.until > this.#expiredBefore) this.#complain(seal, 'the seals before it are missing')
      return
    }
    if (last && seal.number !== last.number + 1n) {
      this.#complain(seal, `seals ${last.number + 1n} to ${seal.number - 1n} are missing`)
      return
    }
    const text = sealedText({ ...seal, tenantId: this.#tenantId }, last?.mac ?? '')
    if (!this.#isMac(text, seal.mac)) {
      this.#complain(seal, 'the seal is not ours: it was changed, or made with another master key')
    }
  }

  #checkEntries(seal: FoundSeal): void {
    const { from, entries, digest, foundEntries, foundDigest } = seal
    this.beginsAt ??= from
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
