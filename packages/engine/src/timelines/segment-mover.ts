import { randomUUID } from 'node:crypto'
import { countMovable, countOfMonth, movedBefore, SEGMENT_LIMITS, type StoredEventText } from '@skein/core'
import { SegmentStore, SegmentWork, type OldTimeline } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { Lookout } from '../loops/lookout.ts'

/** Longer than a batch takes. */
const HOLD_MS = 120_000
const LOOK_MS = 60_000
const BATCH = 32
const AT_ONCE = 4
const DAY_MS = 86_400_000
const FIRST_AGENT = '00000000-0000-0000-0000-000000000000'
/** The store is down, not the agent's segment broken. */
const MAX_FAILURES = 8
/** A server that writes a segment takes minutes, not a day. */
const DRAFT_MS = DAY_MS

export interface SegmentAges {
  /** Events move when their month ended so many days ago. */
  readonly days: number
  /** How long an object stays that nothing refers to any more: as long as backups are kept that still do. */
  readonly backupDays: number
}

/**
 * Moves old events from the table to the blob store (docs/adr/0073), and deletes objects that are not needed any more. One
 * server at a time does it; if two do, or one is killed, no event is lost or moved twice.
 */
export class SegmentMover {
  readonly #engine: EngineResources
  readonly #ages: SegmentAges
  readonly #onError: (error: unknown) => void
  readonly #holder = randomUUID()
  readonly #lookout: Lookout
  #isStopped = false

  constructor(engine: EngineResources, ages: SegmentAges, onError: (error: unknown) => void) {
    this.#engine = engine
    this.#ages = ages
    this.#onError = onError
    const options = { everyMs: LOOK_MS, rests: true, events: engine.events, onError }
    this.#lookout = new Lookout(() => this.run(), options)
  }

  start(): void {
    if (!this.#engine.segments.isUsable) return
    this.#lookout.start()
    this.#lookout.look()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#lookout.stop()
  }

  /** Moves all there is to move, unless it is another server's turn. */
  async run(): Promise<void> {
    const after = await this.#work((work) => work.takeTurn(this.#holder, HOLD_MS))
    if (after === undefined) return
    try {
      await this.#moveAll(after)
      await this.#work((work) => work.dropMoved(this.#before()))
      await this.#removeObjects()
    } catch (error) {
      this.#engine.events.emit({ type: 'segment-failed', cause: 'move' })
      throw error
    } finally {
      await this.#work((work) => work.endTurn(this.#holder))
    }
  }

  #before(): number {
    return movedBefore(this.#engine.clock.now(), this.#ages.days)
  }

  async #moveAll(start: string): Promise<void> {
    let after = start
    // A server that was killed left off in the middle: those before it may have more by now.
    let isFromStart = start === FIRST_AGENT
    let failures = 0
    while (!this.#isStopped) {
      const found = await this.#work((work) => work.findOld(this.#before(), after, BATCH))
      after = found.at(-1)?.agentId ?? FIRST_AGENT
      failures += await this.#moveSome(found.filter(({ isOpen }) => isOpen))
      if (!(await this.#work((work) => work.keepTurn(this.#holder, after, HOLD_MS)))) return
      if (failures >= MAX_FAILURES || (found.length === 0 && isFromStart)) return
      isFromStart ||= found.length === 0
    }
  }

  /** Returns how many could not be moved. */
  async #moveSome(timelines: readonly OldTimeline[]): Promise<number> {
    let failures = 0
    const queue = await this.#withHolds(timelines)
    const move = async (): Promise<void> => {
      for (let next = queue.shift(); next && !this.#isStopped; next = queue.shift()) {
        try {
          await this.#moveOne(next.timeline, next.heldFrom)
        } catch (error) {
          failures += 1
          this.#engine.events.emit({ type: 'segment-failed', cause: 'move' })
          this.#onError(error)
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, move))
    return failures
  }

  async #withHolds(timelines: readonly OldTimeline[]) {
    const queue: { timeline: OldTimeline; heldFrom: bigint | undefined }[] = []
    for (const [tenantId, some] of Map.groupBy(timelines, (timeline) => timeline.tenantId)) {
      const held = await this.#engine.database.forTenant(tenantId, (transaction) =>
        new SegmentStore(transaction).heldFrom(some.map(({ agentId }) => agentId)),
      )
      for (const timeline of some) queue.push({ timeline, heldFrom: held.get(timeline.agentId) })
    }
    return queue
  }

  async #moveOne(timeline: OldTimeline, heldFrom: bigint | undefined): Promise<void> {
    const { tenantId, agentId } = timeline
    await this.#engine.database.forTenant(tenantId, (transaction) =>
      new SegmentStore(transaction).forgetReturned(agentId),
    )
    let after: bigint | undefined = 0n
    while (!this.#isStopped && after !== undefined) after = await this.#moveSegment(timeline, heldFrom, after)
  }

  /**
   * Returns the last event that was moved; undefined if there are no more to move. Each step can be the last: what a killed
   * server has not finished is done again.
   */
  async #moveSegment(
    { tenantId, agentId }: OldTimeline,
    heldFrom: bigint | undefined,
    after: bigint,
  ): Promise<bigint | undefined> {
    const { database, segments, events } = this.#engine
    const oldest = await database.forTenant(tenantId, (transaction) =>
      new SegmentStore(transaction).oldestEvents(agentId, SEGMENT_LIMITS, after),
    )
    const places = oldest.map(placeOf)
    const movable = countMovable(places, { before: this.#before(), heldFrom })
    if (movable === 0) return undefined
    const amount = countOfMonth(places.slice(0, movable))
    const { segment, content } = await segments.write({ tenantId, agentId }, oldest.slice(0, amount))
    const object = await database.forTenant(tenantId, (transaction) =>
      new SegmentStore(transaction).draft(segment),
    )
    if (object === undefined) return undefined
    await segments.store(object, content)
    const isMoved = await database.forTenant(tenantId, (transaction) =>
      new SegmentStore(transaction).move(segment, object),
    )
    if (!isMoved) return undefined
    events.emit({ type: 'segment-moved', events: amount, bytes: segment.storedBytes })
    return amount < movable || movable === oldest.length ? segment.lastSequence : undefined
  }

  async #removeObjects(): Promise<void> {
    const now = this.#engine.clock.now()
    const backupMs = this.#ages.backupDays * DAY_MS
    const times = { unusedBefore: now - backupMs, draftsBefore: now - Math.max(DRAFT_MS, backupMs) }
    let failures = 0
    while (!this.#isStopped && failures < MAX_FAILURES) {
      const objects = await this.#work((work) => work.takeUnused(times, BATCH))
      if (objects.length === 0) return
      const removed: string[] = []
      for (const object of objects) {
        try {
          await this.#engine.segments.remove(object)
          removed.push(object)
        } catch (error) {
          this.#engine.events.emit({ type: 'segment-failed', cause: 'remove' })
          this.#onError(error)
          if (++failures === MAX_FAILURES) break
        }
      }
      await this.#work((work) => work.forgetUnused(removed))
    }
  }

  #work<Result>(work: (work: SegmentWork) => Promise<Result>): Promise<Result> {
    return this.#engine.database.statement((transaction) => work(new SegmentWork(transaction)))
  }
}

function placeOf({ sequence, atMicros }: StoredEventText): { sequence: bigint; at: number } {
  return { sequence, at: Number(atMicros / 1000n) }
}
