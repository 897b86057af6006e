import type { ScheduleDocument } from '@skein/contract'
import {
  decideSendOverlap,
  decideSpawnOverlap,
  dueFirings,
  MAX_WAITING_FIRINGS,
  parseDocument,
  type DueFirings,
  type OverlapDecision,
} from '@skein/core'
import {
  AgentReader,
  CatalogStore,
  FiringStore,
  ScheduleStore,
  type ClaimedSchedule,
  type Firing,
  type ScheduleState,
  type Transaction,
} from '@skein/store'
import { CatalogView } from '../../agents/catalog-view.ts'
import type { EngineResources } from '../../resources.ts'
import { agentOfFiring, catchUpOf, timingOf } from './schedule-document.ts'

/** How long a server may take to carry out one firing. Then another one repeats it, which has no effect. */
export const HOLD_MS = 20_000
/** How often it is checked whether the agent that firings wait for has ended. */
const LOOK_AGAIN_MS = 2_000
/** Open firings looked at in one step: more than can wait, and all that one look can add. */
const MAX_OPEN = 2 * MAX_WAITING_FIRINGS + 100

export type Step =
  /** Decided and recorded: this has to be carried out now. */
  | { readonly type: 'carry-out'; readonly firing: Firing; readonly document: ScheduleDocument }
  /** Nothing to do for now, or another server has the schedule. */
  | { readonly type: 'rest' }

const REST: Step = { type: 'rest' }

/**
 * One step of a claimed schedule, in one transaction: records what became of the firing before and which firings are
 * due, and decides on the next one. A server can die between any two steps: the next one continues from the rows.
 */
export async function advanceSchedule(
  engine: EngineResources,
  claimed: ClaimedSchedule,
  report?: Firing,
): Promise<Step> {
  const { tenantId, name, token } = claimed
  let recorded: DueFirings['fire'] = []
  const now = engine.clock.now()
  const step = await engine.database.forTenant(tenantId, async (transaction): Promise<Step> => {
    const schedules = new ScheduleStore(transaction)
    const state = await schedules.hold(name, token)
    if (!state) return REST
    const firings = new FiringStore(transaction)
    if (report) await firings.update(name, report)
    const current = await new CatalogView(transaction).find('schedule', name)
    if (!current) {
      await schedules.rest(name, token, { ...state, dueAt: undefined })
      return REST
    }
    const due = planFirings(current.document, claimed, state, now)
    await recordDue(firings, name, due, now)
    recorded = due.fire
    const chosen = await chooseNext(transaction, name, current, now)
    const { decidedUntil } = due
    if (chosen.firing) {
      await schedules.extend(name, token, { decidedUntil, until: now + HOLD_MS })
      const document = await documentFor(transaction, name, chosen.firing, current)
      return { type: 'carry-out', firing: chosen.firing, document }
    }
    await schedules.rest(name, token, { decidedUntil, dueAt: earlier(due.next?.startAt, chosen.lookAt) })
    return REST
  })
  for (const { startAt } of recorded) engine.events.emit({ type: 'firing-due', lagMs: now - startAt })
  if (report?.endedAt !== undefined) engine.events.emit({ type: 'firing-ended', outcome: report.outcome })
  return step
}

interface CurrentSchedule {
  readonly document: ScheduleDocument
  readonly generation: string
}

/** A firing that was decided before the schedule changed is finished as it was decided. */
async function documentFor(
  transaction: Transaction,
  name: string,
  { generation }: Firing,
  current: CurrentSchedule,
): Promise<ScheduleDocument> {
  if (generation.toString() === current.generation) return current.document
  const earlierVersion = await new CatalogStore(transaction).findVersion(
    { kind: 'schedule', name },
    generation,
  )
  return earlierVersion ? parseDocument('schedule', name, earlierVersion) : current.document
}

/** While it is paused, times pass without effect. */
function planFirings(
  document: ScheduleDocument,
  { tenantId, name }: ClaimedSchedule,
  { anchoredAt, decidedUntil }: ScheduleState,
  now: number,
): DueFirings {
  if (document.paused) return { fire: [], missedFrom: undefined, decidedUntil: now, next: undefined }
  return dueFirings(
    timingOf(document, { tenantId, name, anchoredAt }),
    catchUpOf(document),
    decidedUntil,
    now,
  )
}

async function recordDue(
  firings: FiringStore,
  name: string,
  { fire, missedFrom }: DueFirings,
  at: number,
): Promise<void> {
  const facts = { isManual: false, at }
  if (missedFrom !== undefined) {
    const detail = 'This and possibly later firings were missed: no server could carry them out in time.'
    await firings.add(name, [missedFrom], { ...facts, outcome: 'missed', detail })
  }
  const times = fire.map(({ dueAt }) => dueAt)
  await firings.add(name, times, { ...facts, outcome: 'pending', detail: '' })
}

/** The firing to carry out now, and if there is none, when to look again. */
async function chooseNext(
  transaction: Transaction,
  name: string,
  { document, generation }: CurrentSchedule,
  now: number,
): Promise<{ firing?: Firing; lookAt?: number }> {
  const firings = new FiringStore(transaction)
  let waiting = 0
  let lookAt: number | undefined
  let isBlocked = false
  const open = await firings.open(name, MAX_OPEN)
  for (const firing of open) {
    if (firing.outcome === 'starting') {
      // Decided before but not done: the server died, or it failed and is retried.
      if (firing.retryAt <= now) return { firing }
      lookAt = firing.retryAt
      isBlocked = true
      continue
    }
    const { key, shown } = agentOfFiring(document, name, firing.dueAt)
    const { decision, previousKey } = isBlocked
      ? { decision: decideBlocked(document, waiting), previousKey: undefined }
      : await decideOverlap(transaction, name, document, { dueAt: firing.dueAt, key, waiting })
    switch (decision) {
      case 'go':
      case 'go-after-kill': {
        const replaces = decision === 'go-after-kill' ? (previousKey ?? '') : ''
        const starting: Firing = {
          ...firing,
          outcome: 'starting',
          generation: BigInt(generation),
          agentKey: key,
          agent: shown,
          replaces,
          startedAt: now,
        }
        await firings.update(name, starting)
        return { firing: starting }
      }
      case 'wait':
        waiting += 1
        lookAt = earlier(lookAt, now + LOOK_AGAIN_MS)
        if (firing.outcome !== 'waiting') await firings.update(name, { ...firing, outcome: 'waiting' })
        break
      case 'skip':
      case 'skip-full':
        await firings.update(name, { ...firing, outcome: 'skipped', detail: WHY[decision], endedAt: now })
    }
  }
  // There may be more.
  if (open.length === MAX_OPEN) return { lookAt: now }
  return lookAt === undefined ? {} : { lookAt }
}

const WHY = {
  skip: 'The agent of the firing before was still at work.',
  'skip-full': `${MAX_WAITING_FIRINGS} firings were waiting already.`,
} as const

async function decideOverlap(
  transaction: Transaction,
  name: string,
  { overlap, send }: ScheduleDocument,
  { dueAt, key, waiting }: { dueAt: number; key: string; waiting: number },
): Promise<{ decision: OverlapDecision; previousKey?: string | undefined }> {
  const agents = new AgentReader(transaction)
  if (send) return { decision: decideSendOverlap(overlap, await agents.find(key)) }
  const previousKey = await new FiringStore(transaction).previousAgent(name, dueAt)
  const previous = previousKey === undefined ? undefined : await agents.find(previousKey)
  return { decision: decideSpawnOverlap(overlap, previous, waiting), previousKey }
}

/** A firing before this one has not succeeded yet. */
function decideBlocked({ overlap }: ScheduleDocument, waiting: number): OverlapDecision {
  if (overlap === 'skip') return 'skip'
  return waiting < MAX_WAITING_FIRINGS ? 'wait' : 'skip-full'
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}
