import { Scheduler } from '@skein/engine'
import { startTestServer, TestClock, type TestServer, type TestTenant } from '@skein/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectSameAnswer } from '../same-answer.ts'

const NINE = Date.UTC(2026, 10, 17, 9)
const MINUTE_MS = 60_000
const NIGHTLY = {
  description: 'Tidies up.',
  cron: '*/2 * * * *',
  profile: 'night',
  workspace: 'shop',
  spawn: { description: 'Tidy up.' },
}

let clock: TestClock
let server: TestServer
let acme: TestTenant
let rival: TestTenant
let scheduler: Scheduler

beforeEach(async () => {
  clock = new TestClock(NINE)
  server = await startTestServer({ clock })
  acme = await server.createTenant('acme')
  rival = await server.createTenant('rival')
  await acme.admin.write('profile', 'night', {})
  await acme.admin.write('workspace', 'shop', {})
  await acme.admin.write('schedule', 'tidy', NIGHTLY)
  scheduler = new Scheduler(server.engine, (error) => expect.unreachable(String(error)))
  await scheduler.runDue()
})

afterEach(() => server.close())

async function pass(minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes; passed++) {
    clock.advance(MINUTE_MS)
    await scheduler.runDue()
  }
}

describe('the list', () => {
  test('shows each schedule with its last and next firing', async () => {
    await pass(3)
    const { status, body } = await acme.admin.get('/v1/schedules')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      schedules: [
        {
          name: 'tidy',
          description: 'Tidies up.',
          cron: '*/2 * * * *',
          every: '',
          timeZone: 'UTC',
          paused: false,
          nextTime: '2026-11-17T09:04:00.000Z',
          last: [{ dueTime: '2026-11-17T09:02:00.000Z', outcome: 'STARTED', agent: 'tidy-20261117t090200z' }],
        },
      ],
      nextPageToken: '',
    })
  })

  test('comes in pages, by name', async () => {
    for (const name of ['a', 'b', 'c']) await acme.admin.write('schedule', name, NIGHTLY)
    const first = await acme.admin.get('/v1/schedules?pageSize=2')
    expect(first.body['schedules']).toMatchObject([{ name: 'a' }, { name: 'b' }])
    const token = String(first.body['nextPageToken'])
    const second = await acme.admin.get(`/v1/schedules?pageSize=2&pageToken=${token}`)
    expect(second.body).toMatchObject({ schedules: [{ name: 'c' }, { name: 'tidy' }], nextPageToken: '' })
    expect((await acme.admin.get('/v1/schedules?pageSize=101')).status).toBe(400)
    expect((await acme.admin.get('/v1/schedules?pageToken=x')).status).toBe(400)
  })

  test('has nothing of other tenants', async () => {
    expect((await rival.admin.get('/v1/schedules')).body).toEqual({ schedules: [], nextPageToken: '' })
  })
})

describe('one schedule', () => {
  test('comes with its next ten firings, and with none while it is paused', async () => {
    const { body } = await acme.admin.get('/v1/schedule/tidy')
    const next = body['nextFirings'] as { dueTime: string }[]
    expect(next).toHaveLength(10)
    expect(next[9]).toEqual({
      dueTime: '2026-11-17T09:20:00.000Z',
      startTime: '2026-11-17T09:20:00.000Z',
    })
    await acme.admin.write('schedule', 'tidy', { ...NIGHTLY, paused: true })
    expect((await acme.admin.get('/v1/schedule/tidy')).body).toMatchObject({ nextTime: '', nextFirings: [] })
  })

  test.each(['', '/firings'])('of another tenant answers %s as if there were none', async (path) => {
    const own = await rival.admin.get(`/v1/schedule/tidy${path}`)
    expect(own.status).toBe(404)
    expectSameAnswer(own, await rival.admin.get(`/v1/schedule/tidy${path}?ref.tenant.org=acme`))
  })

  test('that is deleted no longer fires', async () => {
    await acme.admin.delete('/v1/catalog/schedule/tidy')
    await pass(3)
    expect((await acme.admin.get('/v1/schedule/tidy')).status).toBe(404)
    expect((await acme.admin.post('/v1/agents', {})).body['entries']).toEqual([])
  })
})

test('the log comes in pages, newest first', async () => {
  await pass(4)
  const first = await acme.admin.get('/v1/schedule/tidy/firings?pageSize=1')
  expect(first.body['firings']).toEqual([
    {
      dueTime: '2026-11-17T09:04:00.000Z',
      outcome: 'SKIPPED',
      isManual: false,
      startTime: '',
      endTime: '2026-11-17T09:04:00.000Z',
      workspace: '',
      agent: '',
      account: '',
      dashboardUrl: '',
      detail: 'The agent of the firing before was still at work.',
      attempts: 0,
    },
  ])
  const token = String(first.body['nextPageToken'])
  const second = await acme.admin.get(`/v1/schedule/tidy/firings?pageSize=1&pageToken=${token}`)
  expect(second.body).toMatchObject({
    firings: [{ outcome: 'STARTED', workspace: 'shop', agent: 'tidy-20261117t090200z', account: 'night' }],
    nextPageToken: '',
  })
})

describe('running a schedule now', () => {
  test('adds one firing, however often the request is repeated', async () => {
    const options = { headers: { 'idempotency-key': 'once' } }
    const { status, body } = await acme.admin.post('/v1/schedule/tidy/run', {}, options)
    expect(status).toBe(200)
    clock.advance(5)
    expect((await acme.admin.post('/v1/schedule/tidy/run', {}, options)).body).toEqual(body)
    await scheduler.runDue()
    const log = await acme.admin.get('/v1/schedule/tidy/firings')
    expect(log.body['firings']).toMatchObject([{ ...body, isManual: true, outcome: 'STARTED' }])
    const audit = await acme.admin.get('/v1/audit?operation=runSchedule')
    expect(audit.body['entries']).toMatchObject([{ kind: 'schedule', name: 'tidy', account: 'ada' }])
  })

  test('works while it is paused, and does not move its times', async () => {
    await acme.admin.write('schedule', 'tidy', { ...NIGHTLY, paused: true })
    await acme.admin.post('/v1/schedule/tidy/run', {})
    await pass(3)
    expect((await acme.admin.get('/v1/schedule/tidy/firings')).body['firings']).toMatchObject([
      { isManual: true, outcome: 'STARTED' },
    ])
  })

  test('is limited, and needs the right to write the catalog', async () => {
    for (let count = 0; count < 100; count++) {
      clock.advance(1)
      expect((await acme.admin.post('/v1/schedule/tidy/run', {})).status).toBe(200)
    }
    expect((await acme.admin.post('/v1/schedule/tidy/run', {})).status).toBe(429)
    const { document } = await acme.admin.write('token', 'member', { account: 'bob', role: 'member' })
    const member = acme.client(String(document['key']))
    expect((await member.post('/v1/schedule/tidy/run', {})).status).toBe(403)
    expect((await member.get('/v1/schedule/tidy')).status).toBe(200)
  })
})

describe('a preview', () => {
  test('shows the next ten firings of times that are not stored', async () => {
    const times = { cron: '30 2 * * *', timeZone: 'America/New_York', startTime: '2027-03-13T12:00:00Z' }
    const { body } = await acme.admin.post('/v1/schedules/preview', times)
    const next = body['nextFirings'] as { dueTime: string }[]
    expect(next).toHaveLength(10)
    // 02:30 does not exist on that day.
    expect(next[0]?.dueTime).toBe('2027-03-14T07:00:00.000Z')
  })

  test.each([
    {},
    { cron: '0 0 30 2 *' },
    { cron: '@daily' },
    { cron: '0 2 * * *', every: '60s' },
    { every: '0s' },
    { every: '-1s' },
    { every: '60s', timeZone: 'Nowhere/Land' },
    { every: '60s', jitter: '2h' },
    { cron: '* '.repeat(200) },
  ])('of %j is rejected', async (times) => {
    expect((await acme.admin.post('/v1/schedules/preview', times)).status).toBe(400)
  })
})

test('a tenant has at most as many schedules as its quota allows', async () => {
  await acme.admin.write('quota', 'default', { schedules: 2 })
  expect((await acme.admin.write('schedule', 'two', NIGHTLY)).status).toBe(200)
  expect((await acme.admin.write('schedule', 'three', NIGHTLY)).status).toBe(429)
  expect((await acme.admin.write('schedule', 'two', { ...NIGHTLY, paused: true })).status).toBe(200)
  await acme.admin.delete('/v1/catalog/schedule/two')
  expect((await acme.admin.write('schedule', 'three', NIGHTLY)).status).toBe(200)
})

test('of twenty schedules written at once, as many are refused as go beyond the quota', async () => {
  await acme.admin.write('quota', 'default', { schedules: 8 })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => acme.admin.write('schedule', `s-${index}`, NIGHTLY)),
  )
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(7)
  expect(statuses.filter((status) => status === 429)).toHaveLength(13)
})
