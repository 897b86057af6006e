import { SkeinApiError, SkeinConnectionError } from '@skein/client'
import { ApplicationFailure } from '@temporalio/activity'
import { expect, test } from 'vitest'
import { toFailure } from '../src/to-failure.ts'

type Facts = ConstructorParameters<typeof SkeinApiError>[1]

function apiError(facts: Partial<Facts>): SkeinApiError {
  return new SkeinApiError('As the service says.', {
    requestId: 'r1',
    status: 400,
    code: 'INVALID_ARGUMENT',
    reason: 'REQUEST_INVALID',
    details: [],
    retryDelayMs: undefined,
    isRetryable: false,
    ...facts,
  })
}

test.each<[string, Partial<Facts>]>([
  ['an invalid request', {}],
  ['a missing permission', { status: 403, code: 'PERMISSION_DENIED', reason: 'PERMISSION_MISSING' }],
  ['a missing agent', { status: 404, code: 'NOT_FOUND', reason: 'AGENT_NOT_FOUND' }],
  ['too large a body', { status: 413, code: 'RESOURCE_EXHAUSTED', reason: 'BODY_TOO_LARGE' }],
])('%s is not tried again', (_what, facts) => {
  const error = apiError(facts)
  expect(toFailure(error)).toMatchObject({
    message: 'As the service says.',
    type: error.reason,
    nonRetryable: true,
    details: [{ code: error.code, reason: error.reason, status: error.status, requestId: 'r1' }],
  })
})

test.each<[string, Partial<Facts>]>([
  ['a full quota', { status: 429, code: 'RESOURCE_EXHAUSTED', isRetryable: true, retryDelayMs: 5_000 }],
  ['a server that is stopping', { status: 503, code: 'UNAVAILABLE', isRetryable: true }],
  ['an error in the service', { status: 500, code: 'INTERNAL' }],
  ['a key that was replaced', { status: 401, code: 'UNAUTHENTICATED', reason: 'CREDENTIAL_INVALID' }],
  ['a change at the same moment', { status: 409, code: 'ABORTED', reason: 'AGENT_BEING_REMOVED' }],
  ['a proxy that refuses', { status: 403, code: 'UNKNOWN', reason: '' }],
])('%s is tried again', (_what, facts) => {
  expect(toFailure(apiError(facts))).toMatchObject({
    nonRetryable: false,
    nextRetryDelay: facts.retryDelayMs,
  })
})

test('a lost connection and failures of our own stay as they are', () => {
  const lost = new SkeinConnectionError('No response.', { requestId: 'r1' })
  const own = ApplicationFailure.nonRetryable('No.', 'SkeinAgentFailed')
  expect(toFailure(lost)).toBe(lost)
  expect(toFailure(own)).toBe(own)
})
