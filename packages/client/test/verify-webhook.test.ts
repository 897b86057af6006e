import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { verifyWebhook, WebhookVerificationError } from '../src/index.ts'

const KEY = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const BODY = JSON.stringify({ type: 'run.ended', timestamp: '2026-11-15T09:30:00.000Z', data: {} })

function signed(body = BODY, { key = KEY, at = new Date(), id = 'msg_1' } = {}): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(key).sign(id, at, body),
  }
}

test('a request that the reference implementation signed is accepted', async () => {
  await expect(verifyWebhook(BODY, signed(), KEY)).resolves.toMatchObject({ type: 'run.ended' })
  await expect(verifyWebhook(BODY, new Headers(signed()), KEY)).resolves.toMatchObject({ type: 'run.ended' })
})

test('while keys rotate, one valid signature of two is enough', async () => {
  const headers = signed()
  const both = `${signed(BODY, { key: OTHER })['webhook-signature']} ${headers['webhook-signature']}`
  await expect(verifyWebhook(BODY, { ...headers, 'webhook-signature': both }, KEY)).resolves.toBeDefined()
})

const minutes = (amount: number) => new Date(Date.now() + amount * 60_000)

test.each<[string, string, Record<string, string>]>([
  ['another key', BODY, signed(BODY, { key: OTHER })],
  ['a changed body', `${BODY} `, signed()],
  ['another id', BODY, { ...signed(), 'webhook-id': 'msg_2' }],
  ['an old timestamp', BODY, signed(BODY, { at: minutes(-6) })],
  ['a timestamp in the future', BODY, signed(BODY, { at: minutes(6) })],
  ['a timestamp that is no number', BODY, { ...signed(), 'webhook-timestamp': 'NaN' }],
  ['a signature of another version', BODY, { ...signed(), 'webhook-signature': 'v2,AAAA' }],
  ['a signature that is not base64', BODY, { ...signed(), 'webhook-signature': 'v1,%%%' }],
  ['an empty signature', BODY, { ...signed(), 'webhook-signature': 'v1,' }],
  ['no signature', BODY, { 'webhook-id': 'msg_1', 'webhook-timestamp': '1' }],
])('a request with %s is refused', async (_, body, headers) => {
  await expect(verifyWebhook(body, headers, KEY)).rejects.toThrow(WebhookVerificationError)
})
