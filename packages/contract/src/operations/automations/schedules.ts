import { Type, type Static } from 'typebox'
import { timingFields } from '../../catalog/kinds/schedule.ts'
import { TenantInput } from '../../schemas/identity.ts'
import {
  Choice,
  Flag,
  MaybeTimestamp,
  Name,
  request,
  response,
  Text,
  Timestamp,
} from '../../schemas/primitives.ts'
import { justification, tenantQuery } from '../catalog.ts'
import { defineOperation } from '../operation.ts'
import { nextPageToken, pageQuery } from '../paging.ts'
import { readsLog } from './delivery-log.ts'

const scheduleParams = { name: Name('The schedule.') }

export const FiringOutcome = Choice(
  ['PENDING', 'WAITING', 'STARTING', 'STARTED', 'SENT', 'SKIPPED', 'MISSED', 'FAILED'],
  'The outcome of a firing: recorded; waiting until the previous agent has ended; being carried out; started an agent; sent a message; skipped because of the overlap policy; missed in an outage, possibly with later ones; given up.',
  { $id: 'FiringOutcome' },
)
export type FiringOutcome = Static<typeof FiringOutcome>

export const Firing = response(
  'Firing',
  {
    dueTime: Timestamp('The time that the schedule names, or of the request to run it.'),
    outcome: FiringOutcome,
    isManual: Flag('Whether it was started by hand.'),
    startTime: MaybeTimestamp('When it was decided to carry it out.'),
    endTime: MaybeTimestamp('When the outcome was final.'),
    workspace: Text('The workspace of its agent; empty if it has none.'),
    agent: Text('The name of its agent; empty if it has none.'),
    account: Text('The service profile that owns the agent; empty if it has none.'),
    dashboardUrl: Text('The agent’s page in the dashboard; empty if it has none.'),
    detail: Text('Why it was skipped, missed or given up, or why the last attempt failed.'),
    attempts: Type.Integer({ description: 'Tries that failed.' }),
  },
  { description: 'One firing of a schedule. Kept for 30 days.' },
)
export type Firing = Static<typeof Firing>

const FiringTime = response('FiringTime', {
  dueTime: Timestamp('The time that the schedule names.'),
  startTime: Timestamp('When it is carried out: the same, unless there is jitter.'),
})

const entry = {
  name: Text('The name of the resource.'),
  description: Text('For people.'),
  cron: Text('The expression; empty for an interval.'),
  every: Text('The interval; empty for an expression.'),
  timeZone: Text('The time zone of the expression.'),
  paused: Flag('Whether it is paused.'),
  nextTime: MaybeTimestamp('When it is carried out next; empty if never, or while it is paused.'),
  last: Type.Array(Firing, { maxItems: 1, description: 'The newest firing; empty if there is none.' }),
}

export const ScheduleEntry = response('ScheduleEntry', entry, {
  description: 'A schedule, with its state.',
})
export type ScheduleEntry = Static<typeof ScheduleEntry>

export const ScheduleStatus = response(
  'ScheduleStatus',
  {
    ...entry,
    nextFirings: Type.Array(FiringTime, { description: 'The next ten firings; none while it is paused.' }),
  },
  { description: 'A schedule with its next firings.' },
)
export type ScheduleStatus = Static<typeof ScheduleStatus>

const firingExample = {
  dueTime: '2026-11-15T01:30:00.000Z',
  outcome: 'STARTED',
  isManual: false,
  startTime: '2026-11-15T01:33:12.000Z',
  endTime: '2026-11-15T01:33:12.040Z',
  workspace: 'shop',
  agent: 'deps-20261115t013000z',
  account: 'night-shift',
  dashboardUrl: 'https://skein.example.com/agents/shop/deps-20261115t013000z',
  detail: '',
  attempts: 0,
}

const entryExample = {
  name: 'nightly-deps',
  description: 'Updates the dependencies of the shop every night.',
  cron: '30 2 * * *',
  every: '',
  timeZone: 'Europe/Berlin',
  paused: false,
  nextTime: '2026-11-16T01:37:40.000Z',
  last: [firingExample],
}

const nextExample = { dueTime: '2026-11-16T01:30:00.000Z', startTime: '2026-11-16T01:37:40.000Z' }

export const MAX_SCHEDULE_PAGE = 100

export const listSchedules = defineOperation({
  id: 'listSchedules',
  method: 'GET',
  path: '/v1/schedules',
  tag: 'automations',
  summary: 'List schedules with their last and next firing',
  description: 'All schedules of the tenant, by name.',
  permission: 'catalog.read',
  query: request(undefined, {
    ...tenantQuery,
    ...pageQuery,
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_SCHEDULE_PAGE,
        description: 'Maximum number of entries. Default: 100.',
      }),
    ),
  }),
  response: response('ListSchedulesResponse', { schedules: Type.Array(ScheduleEntry), nextPageToken }),
  reasons: ['TENANT_NOT_FOUND', 'PAGE_TOKEN_INVALID'],
  example: { path: '/v1/schedules', response: { schedules: [entryExample], nextPageToken: '' } },
})

export const readSchedule = defineOperation({
  id: 'readSchedule',
  method: 'GET',
  path: '/v1/schedule/{name}',
  tag: 'automations',
  summary: 'Read a schedule with its next ten firings',
  description: 'The document itself is in the catalog.',
  permission: 'catalog.read',
  params: request(undefined, scheduleParams),
  query: request(undefined, tenantQuery),
  response: ScheduleStatus,
  reasons: ['RESOURCE_NOT_FOUND', 'TENANT_NOT_FOUND'],
  example: {
    path: '/v1/schedule/nightly-deps',
    response: { ...entryExample, nextFirings: [nextExample] },
  },
})

export const listFirings = defineOperation({
  ...readsLog,
  id: 'listFirings',
  path: '/v1/schedule/{name}/firings',
  summary: 'Read the log of a schedule',
  description: 'Firings of the last 30 days, newest first.',
  params: request(undefined, scheduleParams),
  response: response('ListFiringsResponse', { firings: Type.Array(Firing), nextPageToken }),
  example: {
    path: '/v1/schedule/nightly-deps/firings',
    response: { firings: [firingExample], nextPageToken: '' },
  },
})

export const runSchedule = defineOperation({
  id: 'runSchedule',
  method: 'POST',
  path: '/v1/schedule/{name}/run',
  tag: 'automations',
  summary: 'Run a schedule now',
  description:
    'Adds a firing that is due now, even if the schedule is paused. The overlap policy applies. The log shows the outcome.',
  permission: 'catalog.write',
  isMutation: true,
  params: request(undefined, scheduleParams),
  body: request('RunScheduleRequest', {
    tenant: Type.Optional(TenantInput),
    justification,
  }),
  response: response('RunScheduleResponse', { dueTime: Timestamp('Identifies the firing in the log.') }),
  reasons: ['RESOURCE_NOT_FOUND', 'TENANT_NOT_FOUND', 'QUOTA_EXCEEDED'],
  example: {
    path: '/v1/schedule/nightly-deps/run',
    request: {},
    response: { dueTime: '2026-11-15T09:30:00.123Z' },
  },
})

export const previewSchedule = defineOperation({
  id: 'previewSchedule',
  method: 'POST',
  path: '/v1/schedules/preview',
  tag: 'automations',
  summary: 'See when a schedule would fire',
  description:
    'Checks the times of a schedule that does not have to exist, and returns its next ten firings.',
  permission: 'catalog.read',
  body: request('PreviewScheduleRequest', {
    cron: timingFields.cron,
    every: timingFields.every,
    timeZone: Type.Optional(timingFields.timeZone),
    jitter: Type.Optional(timingFields.jitter),
    startTime: timingFields.startTime,
    endTime: timingFields.endTime,
  }),
  response: response('PreviewScheduleResponse', {
    nextFirings: Type.Array(FiringTime, { description: 'The next ten, or fewer if it ends.' }),
  }),
  reasons: [],
  example: {
    request: { cron: '30 2 * * *', timeZone: 'Europe/Berlin' },
    response: {
      nextFirings: [{ dueTime: '2026-11-16T01:30:00.000Z', startTime: '2026-11-16T01:30:00.000Z' }],
    },
  },
})
