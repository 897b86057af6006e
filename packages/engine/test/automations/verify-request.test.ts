import { createHmac } from 'node:crypto'
import { trigger } from '@skein/contract'
import { parseDocument, readingOf } from '@skein/core'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { isGenuine } from '../../src/automations/triggers/verify-request.ts'

const NOW = 1_763_370_000_000
const KEY = 'It’s a key for tests'

function verify(
  verification: Record<string, unknown>,
  headers: Record<string, string>,
  { body = '', keys = [KEY], now = NOW }: { body?: string; keys?: string[]; now?: number } = {},
): boolean {
  const document = parseDocument('trigger', '', {
    profile: 'night',
    workspace: 'shop',
    spawn: { description: 'Look.' },
    verification,
  })
  const request = { header: (name: string) => headers[name], body: Buffer.from(body), now }
  return isGenuine(readingOf(document).scheme, keys, request)
}

const hex = (body: string, key = KEY) => createHmac('sha256', key).update(body).digest('hex')

test('the example in GitHub’s documentation is genuine', () => {
  const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
  const options = { body: 'Hello, World!', keys: ["It's a Secret to Everybody"] }
  expect(verify({ type: 'github' }, { 'x-hub-signature-256': signature }, options)).toBe(true)
  expect(
    verify({ type: 'github' }, { 'x-hub-signature-256': signature }, { ...options, body: 'Hello' }),
  ).toBe(false)
  expect(verify({ type: 'github' }, { 'x-hub-signature-256': signature.slice(7) }, options)).toBe(false)
  // The older header has SHA-1.
  expect(verify({ type: 'github' }, { 'x-hub-signature': signature }, options)).toBe(false)
})

const BODY = `{"webhookTimestamp": ${NOW}, "text": "\\"webhookTimestamp\\": 1"}`

test.each([
  [{ type: 'gitea' }, { 'x-gitea-signature': hex(BODY) }],
  [{ type: 'sentry' }, { 'sentry-hook-signature': hex(BODY) }],
  [{ type: 'linear' }, { 'linear-signature': hex(BODY) }],
  [{ type: 'pagerduty' }, { 'x-pagerduty-signature': `v1=${hex(BODY)}` }],
  [{ type: 'pagerduty' }, { 'x-pagerduty-signature': `v1=${hex(BODY, 'their old key')}, v1=${hex(BODY)}` }],
  [{ type: 'gitlab' }, { 'x-gitlab-token': KEY }],
  [{ type: 'token', header: 'X-Key' }, { 'x-key': KEY }],
  [
    { type: 'hmac-sha256', header: 'X-Sig', prefix: 'v0=', encoding: 'base64' },
    { 'x-sig': `v0=${createHmac('sha256', KEY).update(BODY).digest('base64')}` },
  ],
])('%j recognises %j, and nothing else', (verification, headers) => {
  expect(verify(verification, headers, { body: BODY })).toBe(true)
  expect(verify(verification, headers, { body: BODY, keys: ['new', KEY] })).toBe(true)
  expect(verify(verification, headers, { body: BODY, keys: ['another'] })).toBe(false)
  expect(verify(verification, headers, { body: BODY, keys: [] })).toBe(false)
  expect(verify(verification, {}, { body: BODY })).toBe(false)
  const [[name, value] = ['', '']] = Object.entries(headers)
  for (const wrong of [
    '',
    ' ',
    value.slice(0, -1),
    `${value}0`,
    `x${value.replaceAll('v1=', 'v2=')}`,
    'v1=',
    'null',
    ','.repeat(999),
  ]) {
    expect(verify(verification, { [name]: wrong }, { body: BODY })).toBe(false)
  }
})

test('a bearer key is the whole key', () => {
  const keys = ['whsec_abc']
  expect(verify({ type: 'bearer' }, { authorization: 'Bearer whsec_abc' }, { keys })).toBe(true)
  for (const authorization of ['whsec_abc', 'Bearer', 'Bearer ', 'Bearer whsec_ab', 'Basic whsec_abc']) {
    expect(verify({ type: 'bearer' }, { authorization }, { keys })).toBe(false)
  }
  expect(verify({ type: 'bearer' }, { authorization: 'Bearer ' }, { keys: [''] })).toBe(false)
})

const SIGNING_KEY = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

function signed(at: number, body = '{}'): Record<string, string> {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': new Webhook(SIGNING_KEY).sign('msg_1', new Date(at), body),
  }
}

test('what a library for Standard Webhooks signs is genuine for five minutes', () => {
  const type = 'standard-webhooks'
  const check = (headers: Record<string, string>, now = NOW) =>
    verify({ type }, headers, { body: '{}', keys: [SIGNING_KEY], now })
  expect(check(signed(NOW))).toBe(true)
  expect(check({ ...signed(NOW), 'webhook-signature': `v1,AAAA ${signed(NOW)['webhook-signature']}` })).toBe(
    true,
  )
  expect(check(signed(NOW - 299_000))).toBe(true)
  expect(check(signed(NOW - 301_000))).toBe(false)
  expect(check(signed(NOW + 301_000))).toBe(false)
  expect(check({ ...signed(NOW), 'webhook-id': 'msg_2' })).toBe(false)
  expect(check({ ...signed(NOW - 600_000), 'webhook-timestamp': String(NOW / 1000) })).toBe(false)
  expect(check({ ...signed(NOW), 'webhook-timestamp': 'NaN' })).toBe(false)
  expect(check({ ...signed(NOW), 'webhook-signature': '' })).toBe(false)
})

test('an old request of Linear is refused, and a text in the body cannot make it new', () => {
  const old = `{"text": "\\"webhookTimestamp\\": ${NOW}", "webhookTimestamp": ${NOW - 301_000}}`
  expect(verify({ type: 'linear' }, { 'linear-signature': hex(old) }, { body: old })).toBe(false)
  expect(verify({ type: 'linear' }, { 'linear-signature': hex('{}') }, { body: '{}' })).toBe(false)
})

test('every way of verifying in the contract is covered here', () => {
  const types = trigger.schema.properties.verification.properties.type.enum
  expect(types).toHaveLength(10)
})
