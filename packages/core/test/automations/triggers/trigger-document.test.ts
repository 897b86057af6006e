import { trigger } from '@skein/contract'
import { expect, test } from 'vitest'
import { textViolations, triggerTexts } from '../../../src/automations/triggers/trigger-violations.ts'
import { withDefaults } from '../../../src/catalog/document.ts'
import { kindViolations } from '../../../src/catalog/kind-rules.ts'

const SOUND = { profile: 'night', workspace: 'shop', spawn: { description: 'Look.' } }

function fieldsOf(changes: Record<string, unknown>): string[] {
  const document = withDefaults(trigger, { ...SOUND, ...changes })
  return kindViolations(trigger, document, undefined).map(({ field }) => field)
}

test('the example and the least document are sound', () => {
  expect(kindViolations(trigger, withDefaults(trigger, trigger.example), undefined)).toEqual([])
  expect(fieldsOf({})).toEqual([])
  expect(fieldsOf({ spawn: undefined, send: { agent: 'keeper', message: 'Look.' } })).toEqual([])
  expect(fieldsOf({ verification: { type: 'hmac-sha256', header: 'X-Sig', encoding: 'base64' } })).toEqual([])
})

test.each([
  [{ spawn: undefined }, ['spawn']],
  [{ spawn: { description: 'x', agent: 'a' }, send: { agent: 'b', message: 'x' } }, ['spawn.agent']],
  [{ verification: { type: 'token' } }, ['verification.header']],
  [{ verification: { type: 'hmac-sha256' } }, ['verification.header']],
  [{ verification: { type: 'github', header: 'X-Sig' } }, ['verification.header']],
  [{ verification: { type: 'bearer', prefix: 'v1=' } }, ['verification.prefix']],
  [{ verification: { type: 'github', encoding: 'base64' } }, ['verification.encoding']],
  [{ headers: ['Authorization'] }, ['headers.0']],
  [{ headers: ['X-Team', 'COOKIE'] }, ['headers.1']],
  [{ verification: { type: 'github' }, headers: ['x-hub-signature-256'] }, ['headers.0']],
  [{ verification: { type: 'token', header: 'X-Key' }, headers: ['x-key'] }, ['headers.0']],
  [{ verification: { type: 'bearer' }, deliveryHeader: 'Authorization' }, ['deliveryHeader']],
])('%j has problems in %j', (changes, wanted) => {
  expect(fieldsOf(changes)).toEqual(wanted)
})

test('all expressions and templates are found, and only those still in the document count', () => {
  const document = {
    condition: 'true',
    spawn: { agent: '', description: 'd', labels: { 'a.b': '{{ l }}' } },
    send: { agent: 'a', message: 'm' },
  }
  expect(triggerTexts(document).map(({ language, path }) => [language, path.join('/')])).toEqual([
    ['condition', 'condition'],
    ['prompt', 'spawn/description'],
    ['name', 'spawn/labels/a.b'],
    ['name', 'send/agent'],
    ['prompt', 'send/message'],
  ])
  const problems = [
    { path: ['condition'], text: 'true', problem: 'is bad' },
    { path: ['spawn', 'description'], text: 'was replaced', problem: 'is bad' },
    { path: ['spawn', 'labels', 'a.b'], text: '{{ l }}', problem: 'is bad' },
  ]
  expect([...textViolations(document, problems)].map(({ field }) => field)).toEqual([
    'condition',
    'spawn.labels.a.b',
  ])
})

test.each([undefined, 7, [], 'text', { spawn: 7 }, { spawn: { labels: [] } }])(
  'a document that is not sound has no texts: %j',
  (document) => {
    expect(triggerTexts({ spawn: document })).toEqual([])
  },
)
