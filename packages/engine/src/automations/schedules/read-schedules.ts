import { setImmediate } from 'node:timers/promises'
import {
  formatTimestamp,
  MAX_SCHEDULE_PAGE,
  schedule as scheduleKind,
  SkeinError,
  summarizeViolations,
  type ResponseOf,
  type FiringOutcome as ShownOutcome,
  type listFirings as listFiringsOperation,
  type listSchedules as listSchedulesOperation,
  type previewSchedule as previewScheduleOperation,
  type Firing as ShownFiring,
  type ScheduleDocument,
  type ScheduleEntry,
  type ScheduleStatus,
} from '@skein/contract'
import {
  parseDocument,
  resourceNotFound,
  seesWorkspace,
  ScheduleTiming,
  timingViolations,
  type FiringTime,
  type TimingFields,
  type Viewer,
} from '@skein/core'
import {
  CatalogStore,
  FiringStore,
  ScheduleStore,
  type Firing,
  type FiringOutcome,
  type ScheduleState,
  type Transaction,
} from '@skein/store'
import { dashboardUrl } from '../../agents/describe-agent.ts'
import { decodePageToken, encodePageToken, pageSizeOf, splitPage, type Page } from '../../paging.ts'
import type { EngineResources } from '../../resources.ts'
import { listSeen } from '../../catalog/seen-resources.ts'
import { timingOf } from './schedule-document.ts'

const SCHEDULE = 'schedule'
const UPCOMING = 10
/** The next firing of this many takes a few milliseconds. Then other requests have their turn. */
const CHUNK = 10

export async function listSchedules(
  engine: EngineResources,
  viewer: Viewer,
  tenantId: string,
  page: Page,
): Promise<ResponseOf<typeof listSchedulesOperation>> {
  const [after = ''] = decodePageToken('schedules', page, /^[a-z0-9-]+$/) ?? []
  const pageSize = Math.min(pageSizeOf(page), MAX_SCHEDULE_PAGE)
  const { records, states, latest } = await engine.database.forTenant(tenantId, async (transaction) => {
    const found = await listSeen(transaction, viewer, scheduleKind, { after, limit: pageSize + 1 })
    const names = found.map(({ name }) => name)
    return { records: found, ...(await readStates(transaction, names)) }
  })
  const { shown, last } = splitPage(records, pageSize)
  const schedules: ScheduleEntry[] = []
  for (const [index, { name, document }] of shown.entries()) {
    if (index % CHUNK === CHUNK - 1) await setImmediate()
    const schedule = parseDocument(SCHEDULE, name, document ?? {})
    const next = upcomingOf(engine, tenantId, name, schedule, states.get(name), 1)
    schedules.push(toEntry(engine, name, schedule, seenFiring(viewer, latest.get(name)), next))
  }
  return { schedules, nextPageToken: last === undefined ? '' : encodePageToken('schedules', [last.name]) }
}

export async function readSchedule(
  engine: EngineResources,
  viewer: Viewer,
  tenantId: string,
  name: string,
): Promise<ScheduleStatus> {
  const { schedule, states, latest } = await engine.database.forTenant(tenantId, async (transaction) => ({
    schedule: await requireSchedule(transaction, name),
    ...(await readStates(transaction, [name])),
  }))
  const next = upcomingOf(engine, tenantId, name, schedule, states.get(name), UPCOMING)
  return {
    ...toEntry(engine, name, schedule, seenFiring(viewer, latest.get(name)), next),
    nextFirings: next.map(toTimes),
  }
}

export async function listFirings(
  engine: EngineResources,
  viewer: Viewer,
  { tenantId, name }: { readonly tenantId: string; readonly name: string },
  page: Page,
): Promise<ResponseOf<typeof listFiringsOperation>> {
  const list = `firings/${name}`
  const [before] = decodePageToken(list, page, /^[0-9]{1,15}$/) ?? []
  const pageSize = pageSizeOf(page)
  const firings = await engine.database.forTenant(tenantId, async (transaction) => {
    await requireSchedule(transaction, name)
    const cursor = before === undefined ? undefined : Number(before)
    return new FiringStore(transaction).page(name, cursor, pageSize + 1)
  })
  const { shown, last } = splitPage(firings, pageSize)
  return {
    firings: shown
      .flatMap((firing) => seenFiring(viewer, firing) ?? [])
      .map((firing) => toShown(engine, firing)),
    nextPageToken: last === undefined ? '' : encodePageToken(list, [last.dueAt.toString()]),
  }
}

/** A schedule may have had another workspace when it fired. */
function seenFiring(viewer: Viewer, firing: Firing | undefined): Firing | undefined {
  return firing && seesWorkspace(viewer, firing.agent.split('/', 1)[0] ?? '') ? firing : undefined
}

/** Of a schedule that does not have to exist. */
export function previewSchedule(
  { clock }: EngineResources,
  tenantId: string,
  given: Partial<TimingFields>,
): ResponseOf<typeof previewScheduleOperation> {
  const fields = { timeZone: 'UTC', jitter: '0s', ...given }
  const violations = [...timingViolations(fields)]
  if (violations.length > 0) {
    const message = `The times are not valid: ${summarizeViolations(violations)}.`
    throw new SkeinError('REQUEST_INVALID', { message, violations })
  }
  const now = clock.now()
  const timing = new ScheduleTiming(fields, { anchorAt: Math.floor(now / 1000) * 1000, jitterSeed: tenantId })
  return { nextFirings: timing.upcoming(now, UPCOMING).map(toTimes) }
}

export async function requireSchedule(transaction: Transaction, name: string): Promise<ScheduleDocument> {
  const document = (await new CatalogStore(transaction).find({ kind: SCHEDULE, name }))?.document
  if (!document) throw resourceNotFound(SCHEDULE, name)
  return parseDocument(SCHEDULE, name, document)
}

async function readStates(transaction: Transaction, names: readonly string[]) {
  return {
    states: await new ScheduleStore(transaction).findStates(names),
    latest: await new FiringStore(transaction).latest(names),
  }
}

/** What is due, but not recorded yet, counts as well. */
function upcomingOf(
  { clock }: EngineResources,
  tenantId: string,
  name: string,
  document: ScheduleDocument,
  state: ScheduleState | undefined,
  amount: number,
): FiringTime[] {
  if (document.paused || !state) return []
  const { anchoredAt, decidedUntil } = state
  return timingOf(document, { tenantId, name, anchoredAt }).upcoming(
    Math.max(decidedUntil, clock.now() - RECENT_MS),
    amount,
  )
}

const RECENT_MS = 1000

function toEntry(
  engine: EngineResources,
  name: string,
  document: ScheduleDocument,
  last: Firing | undefined,
  [next]: readonly FiringTime[],
): ScheduleEntry {
  return {
    name,
    description: document.description,
    cron: document.cron ?? '',
    every: document.every ?? '',
    timeZone: document.timeZone,
    paused: document.paused,
    nextTime: next ? formatTimestamp(next.startAt) : '',
    last: last ? [toShown(engine, last)] : [],
  }
}

function toTimes({ dueAt, startAt }: FiringTime) {
  return { dueTime: formatTimestamp(dueAt), startTime: formatTimestamp(startAt) }
}

const SHOWN: Readonly<Record<FiringOutcome, ShownOutcome>> = {
  pending: 'PENDING',
  waiting: 'WAITING',
  starting: 'STARTING',
  started: 'STARTED',
  sent: 'SENT',
  skipped: 'SKIPPED',
  missed: 'MISSED',
  failed: 'FAILED',
}

function toShown({ publicUrl }: EngineResources, firing: Firing): ShownFiring {
  const [workspace = '', name = ''] = firing.agent.split('/')
  const account = decodeURIComponent(firing.agentKey.split('/')[2] ?? '')
  const identity = { workspace, ownerProvider: 'PROVIDER_SERVICE_PROFILE', account, path: [name] } as const
  return {
    dueTime: formatTimestamp(firing.dueAt),
    outcome: SHOWN[firing.outcome],
    isManual: firing.isManual,
    startTime: firing.startedAt === undefined ? '' : formatTimestamp(firing.startedAt),
    endTime: firing.endedAt === undefined ? '' : formatTimestamp(firing.endedAt),
    workspace,
    agent: name,
    account,
    dashboardUrl: name === '' ? '' : dashboardUrl(identity, publicUrl),
    detail: firing.detail,
    attempts: firing.attempts,
  }
}
