import { expect, test } from 'vitest'
import { headersToPassBack, headersToSend, readToken } from '../../src/gateway/headers.ts'
import { OPEN_MODELS } from './gateway-world.ts'

test('nothing that says who asks, or that belongs to one hop, is sent on', () => {
  const sent = headersToSend(
    {
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
      'anthropic-beta': 'effort-2025-11-24, mcp-client-2025-11-20,files-api-2025-04-14',
      'x-codex-turn-metadata': '{}',
    },
    OPEN_MODELS,
  )
  expect(sent).toEqual({
    'accept-encoding': 'identity',
    'anthropic-version': '2023-06-01',
    'user-agent': 'claude',
    'anthropic-beta': 'effort-2025-11-24',
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
    location: 'http://elsewhere',
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
