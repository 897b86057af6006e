import { setTimeout as pause } from 'node:timers/promises'
import { countMovable, countOfMonth, movedBefore, SEGMENT_LIMITS, type StoredEventText } from '@skein/core'
import { SegmentStore, SegmentWork, type OldTimeline } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { Lookout } from '../loops/lookout.ts'
import { SegmentTurn, type TurnTimes } from './segment-turn.ts'

const TURN = { holdMs: 120_000, renewMs: 30_000 }
const LOOK_MS = 60_000
const BATCH = 32
const AT_ONCE = 4
const DAY_MS = 86_400_000
const FIRST_AGENT = '00000000-0000-0000-0000-000000000000'
/** The store is down, not the agent's segment broken. */
const MAX_FAILURES = 8
/** A server that writes a segment takes minutes, not a day. */
const DRAFT_MS = DAY_MS
/** Whatever it is doing can be left at any point. */
const STOP_MS = 3_000

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
  readonly #turn: SegmentTurn
  readonly #lookout: Lookout
  readonly #stopping = new AbortController()

  constructor(
    engine: EngineResources,
    ages: SegmentAges,
    onError: (error: unknown) => void,
    turn: TurnTimes = TURN,
  ) {
    this.#engine = engine
    this.#ages = ages
    this.#onError = onError
    this.#turn = new SegmentTurn((work) => this.#work(work), turn)
    const options = {
      everyMs: LOOK_MS,
      rests: true,
      events: engine.events,
      onError: (error: unknown) => (this.#isStopped ? undefined : onError(error)),
    }
    this.#lookout = new Lookout(() => this.run(), options)
  }

  start(): void {
    if (!this.#engine.segments.isUsable) return
    this.#lookout.start()
    this.#lookout.look()
  }

  /** Does not wait for a store that does not respond. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    const late = new AbortController()
    await Promise.race([this.#lookout.stop(), pause(STOP_MS, undefined, late).catch(() => {})])
    late.abort()
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  /** Moves all there is to move, unless it is another server's turn. */
  async run(): Promise<void> {
    const after = await this.#turn.take()
    if (after === undefined) return
    try {
      await this.#try('move', () => this.#moveAll(after))
      await this.#try('move', () => this.#work((work) => work.dropMoved(this.#before())))
      await this.#try('remove', () => this.#removeObjects())
    } finally {
      await this.#turn.end()
    }
  }

  /** One step that fails does not keep the others. */
  async #try(cause: 'move' | 'remove', step: () => Promise<void>): Promise<void> {
    try {
      if (!this.#isStopped && (await this.#turn.isHeld())) await step()
    } catch (error) {
      this.#fail(cause, error)
    }
  }

  /** What is left because the server stops is no failure. */
  #fail(cause: 'move' | 'remove', error: unknown): void {
    if (this.#isStopped) return
    this.#engine.events.emit({ type: 'segment-failed', cause })
    this.#onError(error)
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
      if (this.#isStopped || !(await this.#turn.keep(after))) return
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
          this.#fail('move', error)
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, move))
    return failures
  }

  /** Without the agents of tenants that cannot be asked: the next round has them. */
  async #withHolds(timelines: readonly OldTimeline[]) {
    const queue: { timeline: OldTimeline; heldFrom: bigint | undefined }[] = []
    for (const [tenantId, some] of Map.groupBy(timelines, (timeline) => timeline.tenantId)) {
      try {
        const held = await this.#engine.database.forTenant(tenantId, (transaction) =>
          new SegmentStore(transaction).heldFrom(some.map(({ agentId }) => agentId)),
        )
        for (const timeline of some) queue.push({ timeline, heldFrom: held.get(timeline.agentId) })
      } catch (error) {
        this.#fail('move', error)
      }
    }
    return queue
  }

  async #moveOne(timeline: OldTimeline, heldFrom: bigint | undefined): Promise<void> {
    const { tenantId, agentId } = timeline
    if (!(await this.#turn.isHeld())) return
    await this.#engine.database.forTenant(tenantId, (transaction) =>
      new SegmentStore(transaction).forgetReturned(agentId),
    )
    let after: bigint | undefined = 0n
    while (after !== undefined && !this.#isStopped && (await this.#turn.isHeld()))
      after = await this.#moveSegment(timeline, heldFrom, after)
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
    await segments.store(object, content, this.#stopping.signal)
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
    while (!this.#isStopped && failures < MAX_FAILURES && (await this.#turn.isHeld())) {
      const objects = await this.#work((work) => work.takeUnused(times, BATCH))
      if (objects.length === 0) return
      const removed: string[] = []
      for (const object of objects) {
        try {
          await this.#engine.segments.remove(object, this.#stopping.signal)
          removed.push(object)
        } catch (error) {
          this.#fail('remove', error)
          if (++failures === MAX_FAILURES || this.#isStopped) break
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
