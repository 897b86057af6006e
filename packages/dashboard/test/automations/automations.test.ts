import { findKind, publishedSchema } from '@skein/contract'
import { describe, expect, test } from 'vitest'
import { readEditable, readKind } from '../../src/catalog/resource-text.ts'
import { createDocumentCheck } from '../../src/pages/catalog/editor/check-document.ts'
import { readAutomationsSearch } from '../../src/pages/automations/automations-search.ts'
import {
  FIRST_HOST_START,
  FIRST_SCHEDULE,
  FIRST_TRIGGER,
  FIRST_INTEGRATION,
} from '../../src/pages/automations/first-documents.ts'
import { describeHours, fillHours, startOfHour } from '../../src/pages/automations/hours.ts'
import { deliveryMark, integrationMark, outcomeMark } from '../../src/pages/automations/marks.ts'
import { decodeBody, formatHeaders } from '../../src/pages/automations/request-text.ts'
import { describeFirings } from '../../src/pages/automations/schedules/describe-firings.ts'
import { describeTiming, formatInZone } from '../../src/pages/automations/schedules/schedule-times.ts'

const NOW = Date.UTC(2026, 10, 17, 9, 30)
const hour = (at: string, attempts: number, failures: number) => ({ time: at, attempts, failures })

describe('the plot', () => {
  test('has 24 hours up to the current one, and leaves out what is older', () => {
    const hours = fillHours(
      [hour('2026-11-16T09:00:00.000Z', 9, 9), hour('2026-11-17T09:00:00.000Z', 4, 1)],
      startOfHour(NOW),
    )
    expect(hours).toHaveLength(24)
    expect(hours[0]).toEqual(hour('2026-11-16T10:00:00.000Z', 0, 0))
    expect(hours.at(-1)).toEqual(hour('2026-11-17T09:00:00.000Z', 4, 1))
    expect(hours.reduce((sum, { failures }) => sum + failures, 0)).toBe(1)
  })

  test.for([
    [[], 'No requests in 24 h'],
    [[[1, 0]], '1 request, none failed'],
    [
      [
        [12, 0],
        [30, 0],
      ],
      '42 requests, none failed',
    ],
    [
      [
        [10, 1],
        [10, 4],
      ],
      '5 of 20 requests failed (25%)',
    ],
    [[[100_000, 1]], '1 of 100,000 requests failed (<1%)'],
    [[[1000, 999]], '999 of 1,000 requests failed (>99%)'],
    [[[3, 3]], '3 of 3 requests failed (100%)'],
  ] as const)('of %j says: %s', ([amounts, words]) => {
    expect(describeHours(amounts.map(([attempts, failures]) => hour('', attempts, failures)))).toBe(words)
  })
})

test('states of a newer service, and names of any object, are unknown', () => {
  expect(integrationMark('FAILING').label).toBe('Failing')
  for (const name of ['HIBERNATING', '', 'constructor', '__proto__']) {
    expect(integrationMark(name).label).toBe('Unknown')
    expect(outcomeMark(name).label).toBe('Unknown')
  }
})

test('a redirect is a failure although there was a response', () => {
  expect(deliveryMark({ status: 302, error: 'The receiver answered with status 302.' })).toEqual({
    label: '302',
    tone: 'bad',
  })
  expect(deliveryMark({ status: 0, error: 'refused' }).label).toBe('No response')
})

test('a body that is not text is shown without an error', () => {
  expect(decodeBody(Buffer.from('{"größe":1}').toString('base64'))).toBe('{"größe":1}')
  expect(decodeBody(Buffer.from([0xff, 0x41]).toString('base64'))).toBe('\uFFFDA')
  expect(formatHeaders({ authorization: '', 'webhook-id': 'msg_1' }, '(from a secret)')).toBe(
    'authorization: (from a secret)\nwebhook-id: msg_1',
  )
})

const countFirings = (...outcomes: Parameters<typeof describeFirings>[0][number]['outcome'][]) =>
  describeFirings(outcomes.map((outcome) => ({ outcome })))

test('firings are counted by what went wrong', () => {
  expect(countFirings('STARTED')).toBe('1 firing, none failed')
  expect(countFirings('STARTED', 'FAILED', 'SKIPPED', 'FAILED')).toBe('4 firings, 2 failed, 1 skipped')
})

test('times are those of the schedule’s zone, or UTC where that is unknown', () => {
  expect(formatInZone('2026-07-17T00:30:00.000Z', 'Europe/Berlin')).toMatch(/17 Jul 2026.*02:30:00/)
  expect(formatInZone('2026-07-17T00:30:00.000Z', 'Mars/Olympus')).toMatch(/17 Jul 2026.*00:30:00.*UTC/)
  expect(describeTiming({ cron: '', every: '3600s', timeZone: 'UTC' })).toBe('every 3600s')
})

test.for([FIRST_INTEGRATION, FIRST_TRIGGER, FIRST_SCHEDULE, FIRST_HOST_START])(
  'the example of a $kind is valid',
  (first) => {
    const kind = findKind(first.kind)
    if (!kind) throw new Error(`no kind ${first.kind}`)
    const { summary, inputFormat, bodyField = '', oneTimeSecret = '' } = kind
    const schema = publishedSchema(kind)
    const edited = readKind({ kind: first.kind, summary, inputFormat, bodyField, oneTimeSecret, schema })
    const [, name = ''] = /^name: (.*)$/m.exec(first.document) ?? []
    const read = readEditable(edited, name, first.document)
    expect(createDocumentCheck(edited.jsonSchema)(read)).toEqual([])
  },
)

test('an unknown tab is the first', () => {
  expect(readAutomationsSearch({ tab: 'schedules' })).toEqual({ tab: 'schedules' })
  expect(readAutomationsSearch({ tab: 'nonsense' })).toEqual({})
})
