import { expect, test } from 'vitest'
import { headersToPassBack, headersToSend, readToken } from '../../src/gateway/headers.ts'

test('nothing that says who asks, or that belongs to one hop, is sent on', () => {
  const sent = headersToSend({
    authorization: 'Bearer t',
    'x-api-key': 't',
    cookie: 'a=b',
    host: 'x',
    'openai-organization': 'other',
    'content-length': '3',
    'accept-encoding': 'gzip',
    connection: 'keep-alive, X-Private',
    'x-private': '1',
    'transfer-encoding': 'chunked',
    'anthropic-version': '2023-06-01',
    'user-agent': 'claude',
  })
  expect(sent).toEqual({
    'accept-encoding': 'identity',
    'anthropic-version': '2023-06-01',
    'user-agent': 'claude',
  })
})

test('nothing that is about the account, or no longer true of the body, is passed back', () => {
  const passed = headersToPassBack({
    'set-cookie': ['a=b'],
    'content-encoding': 'gzip',
    'content-length': '9',
    'anthropic-organization-id': 'o',
    'openai-organization': 'o',
    'transfer-encoding': 'chunked',
    'request-id': 'r',
    'content-type': 'text/event-stream',
  })
  expect(passed).toEqual({ 'request-id': 'r', 'content-type': 'text/event-stream' })
})

test.each([
  [{ 'x-api-key': 'abc' }, 'abc'],
  [{ authorization: 'Bearer abc' }, 'abc'],
  [{ authorization: 'bearer abc' }, 'abc'],
  [{ authorization: 'Basic abc' }, undefined],
  [{}, undefined],
])('the token of %j is read', (headers, token) => {
  expect(readToken(headers)).toBe(token)
})
