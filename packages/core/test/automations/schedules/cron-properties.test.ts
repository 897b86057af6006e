import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCron } from '../../../src/automations/schedules/cron-expression.ts'
import { nextCronFiring } from '../../../src/automations/schedules/next-cron-firing.ts'
import { firingsByBruteForce, type Sets } from './brute-force.ts'

/** 10,000 at night. */
const RUNS = Math.min(Number(process.env['SKEIN_PROPERTY_RUNS'] ?? 200), 10_000)

const HOUR_MS = 3_600_000

/** Around both changes of six zones: forward and back by an hour, by half an hour, at midnight, by two hours. */
const CHANGES = [
  { zone: 'America/New_York', changes: ['2026-03-08T07:00Z', '2026-11-01T06:00Z'] },
  { zone: 'Europe/Berlin', changes: ['2026-03-29T01:00Z', '2026-10-25T01:00Z'] },
  { zone: 'Australia/Lord_Howe', changes: ['2026-10-03T15:30Z', '2026-04-04T15:00Z'] },
  { zone: 'America/Santiago', changes: ['2026-09-06T04:00Z', '2026-04-05T03:00Z'] },
  { zone: 'Antarctica/Troll', changes: ['2026-03-29T01:00Z', '2026-10-25T01:00Z'] },
  { zone: 'Asia/Kolkata', changes: ['2026-03-29T01:00Z'] },
]

const place = fc
  .constantFrom(...CHANGES.flatMap(({ zone, changes }) => changes.map((change) => ({ zone, change }))))
  .chain(({ zone, change }) =>
    fc.integer({ min: -30 * 60, max: 20 * 60 }).map((minutes) => ({
      zone,
      from: Date.parse(change) + minutes * 60_000,
    })),
  )

interface Field {
  readonly text: string
  readonly values: ReadonlySet<number>
}

/** A field as people write it, with the values it stands for. */
function field(least: number, most: number, names: readonly string[] = []): fc.Arbitrary<Field> {
  const number = fc.integer({ min: least, max: most })
  const spell = (value: number) => names[value - least] ?? value.toString()
  const single = number.map((value) => ({ text: spell(value), values: new Set([value]) }))
  const range = fc
    .tuple(number, number, fc.integer({ min: 1, max: Math.min(12, most) }), fc.boolean())
    .map(([one, other, step, isStepped]) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)]
      const text = `${spell(from)}-${spell(to)}${isStepped ? `/${step}` : ''}`
      return { text, values: span(from, to, isStepped ? step : 1) }
    })
  const stepped = fc
    .integer({ min: 1, max: Math.min(30, most) })
    .map((step) => ({ text: `*/${step}`, values: span(least, most, step) }))
  const any = fc.constant({ text: '*', values: span(least, most, 1) })
  const list = fc.array(fc.oneof(single, range), { minLength: 2, maxLength: 4 }).map((items) => ({
    text: items.map(({ text }) => text).join(','),
    values: new Set(items.flatMap(({ values }) => [...values])),
  }))
  return fc.oneof({ weight: 3, arbitrary: any }, { weight: 3, arbitrary: single }, range, stepped, list)
}

function span(from: number, to: number, step: number): ReadonlySet<number> {
  const values = new Set<number>()
  for (let value = from; value <= to; value += step) values.add(value)
  return values
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const WEEKDAYS = 'SUN MON TUE WED THU FRI SAT'.split(' ')

const expression = fc
  .tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12, MONTHS), field(0, 7, WEEKDAYS))
  .map(([minute, hour, day, month, weekday]): { text: string; sets: Sets } => ({
    text: [minute, hour, day, month, weekday].map(({ text }) => text).join(' '),
    sets: {
      minutes: minute.values,
      hours: hour.values,
      days: day.values,
      months: month.values,
      // 0 and 7 are both Sunday.
      weekdays: new Set([...weekday.values].map((value) => value % 7)),
      hasDays: day.text !== '*',
      hasWeekdays: weekday.text !== '*',
    },
  }))

test('firings around clock changes are those of a clock that is looked at every minute', () => {
  fc.assert(
    fc.property(expression, place, ({ text, sets }, { zone, from }) => {
      const until = from + 48 * HOUR_MS
      const cron = parseCron(text)
      const firings: number[] = []
      for (
        let at = nextCronFiring(cron, zone, from);
        at !== undefined && at <= until && firings.length < 4000;
      ) {
        firings.push(at)
        at = nextCronFiring(cron, zone, at)
      }
      const wanted = firingsByBruteForce(sets, zone, from, until)
      // As one text: comparing thousands of values takes longer than finding them.
      expect(firings.map(iso).join('\n')).toBe(wanted.map(iso).join('\n'))
    }),
    { numRuns: RUNS },
  )
}, 900_000)

function iso(at: number): string {
  return new Date(at).toISOString()
}
