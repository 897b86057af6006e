import { schedule } from '@skein/contract'
import { expect, test } from 'vitest'
import { kindViolations } from '../../../src/catalog/kind-rules.ts'
import { withDefaults } from '../../../src/catalog/document.ts'

const SOUND = { every: '60s', profile: 'night', workspace: 'shop', spawn: { description: 'Tidy up.' } }

function fieldsOf(changes: Record<string, unknown>): string[] {
  const document = withDefaults(schedule, { ...SOUND, ...changes })
  return kindViolations(schedule, document, undefined).map(({ field }) => field)
}

test('the example and the least document are sound', () => {
  expect(kindViolations(schedule, withDefaults(schedule, schedule.example), undefined)).toEqual([])
  expect(fieldsOf({})).toEqual([])
  expect(fieldsOf({ spawn: undefined, send: { agent: 'keeper', message: 'Look.' } })).toEqual([])
  expect(fieldsOf({ send: { agent: 'keeper', message: 'Look.' } })).toEqual([])
})

test.each([
  [{ spawn: undefined }, ['spawn']],
  [{ spawn: { description: 'x', agent: 'a-{time}' }, send: { agent: 'b', message: 'x' } }, ['spawn.agent']],
  [{ spawn: { description: 'x', agent: '-{time}' } }, ['spawn.agent']],
  [{ spawn: { description: 'x', agent: `${'a'.repeat(50)}-{time}` } }, ['spawn.agent']],
  [{ spawn: { description: 'x', agent: 'a-{date}' } }, ['spawn.agent']],
  [{ spawn: { description: 'x', agent: 'fixed' }, overlap: 'allow' }, ['spawn.agent']],
  [{ catchUp: { window: '604801s' } }, ['catchUp.window']],
  [{ cron: '0 2 * * *' }, ['cron']],
  [{ timeZone: 'Nowhere' }, ['timeZone']],
])('%j has problems in %j', (changes, wanted) => {
  expect(fieldsOf(changes)).toEqual(wanted)
})
