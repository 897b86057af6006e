import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bounded,
  formatSnapshot,
  isUnreported,
  parseSnapshot,
  progressAfter,
  type AuditProgress,
  type CommittedPlace,
} from '../../src/audit/audit-progress.ts'

const NOTHING_REPORTED: AuditProgress = { next: 1n, open: [] }

/** Transactions that begin in order and end in any, some without a commit, each with a few entries. */
class Log {
  #next = 3n
  readonly #open = new Map<bigint, CommittedPlace[]>()
  readonly committed: CommittedPlace[] = []

  begin(entries: number): void {
    const xid = this.#next++
    this.#open.set(
      xid,
      Array.from({ length: entries }, (_, index) => ({ xid, id: `${index}` })),
    )
  }

  end(which: number, isCommit: boolean): void {
    const xid = [...this.#open.keys()][which % Math.max(1, this.#open.size)]
    if (xid === undefined) return
    if (isCommit) this.committed.push(...(this.#open.get(xid) ?? []))
    this.#open.delete(xid)
  }

  get snapshot() {
    return { next: this.#next, open: [...this.#open.keys()] }
  }
}

/** As the SQL does it. */
function look(log: Log, progress: AuditProgress, limit: number) {
  const snapshot = bounded(log.snapshot)
  const entries = log.committed
    .filter(({ xid }) => xid < snapshot.next && !snapshot.open.includes(xid))
    .filter((place) => isUnreported(progress, place))
    .toSorted((one, other) =>
      one.xid === other.xid ? (one.id < other.id ? -1 : 1) : one.xid < other.xid ? -1 : 1,
    )
    .slice(0, limit)
  return { snapshot, entries }
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('begin' as const), entries: fc.nat({ max: 3 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('end' as const), which: fc.nat(), isCommit: fc.boolean() }),
  },
  // `stop`: after so many entries the connection is lost, and another begins from the last cursor.
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('look' as const),
      limit: fc.integer({ min: 1, max: 4 }),
      stop: fc.nat({ max: 5 }),
    }),
  },
)

test('each entry is reported once, however transactions commit and connections are lost', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const log = new Log()
      const told: string[] = []
      let progress = NOTHING_REPORTED
      const lookOnce = (limit: number, stop: number): number => {
        const { snapshot, entries } = look(log, progress, limit)
        for (const entry of entries.slice(0, stop)) {
          told.push(`${entry.xid}/${entry.id}`)
          progress = progressAfter(progress, snapshot, entry)
        }
        if (entries.length < limit && stop >= entries.length) progress = snapshot
        return entries.length
      }
      for (const one of steps) {
        if (one.type === 'begin') log.begin(one.entries)
        else if (one.type === 'end') log.end(one.which, one.isCommit)
        else lookOnce(one.limit, one.stop)
      }
      for (let count = 1; count > 0;) count = lookOnce(100, 100)
      expect(told.toSorted()).toEqual(log.committed.map(({ xid, id }) => `${xid}/${id}`).toSorted())
    }),
  )
})

test('with very many transactions in progress, a cursor stays small, and newer entries wait', () => {
  const log = new Log()
  for (let index = 0; index < 250; index++) log.begin(1)
  log.end(249, true)
  const { snapshot, entries } = look(log, NOTHING_REPORTED, 10)
  expect(entries).toEqual([])
  expect(snapshot.open).toHaveLength(100)
  for (let index = 0; index < 150; index++) log.end(0, false)
  expect(look(log, snapshot, 10).entries).toEqual(log.committed)
})

test('a snapshot is read and written as PostgreSQL does', () => {
  for (const text of ['10:10:', '10:20:10,14,15']) expect(formatSnapshot(parseSnapshot(text))).toBe(text)
})
