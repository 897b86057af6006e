import { SkeinApiError } from '@skein/client'
import { expect, test } from 'vitest'
import { isRefused } from '../../src/run/run-reporter.ts'

const refused = (reason: string) =>
  new SkeinApiError('no', {
    requestId: '',
    status: 403,
    code: 'PERMISSION_DENIED',
    reason,
    details: [],
    retryDelayMs: undefined,
    isRetryable: false,
  })

test('a report of a suspended tenant is tried again, because the tenant may be resumed', () => {
  expect(isRefused(refused('TENANT_SUSPENDED'))).toBe(false)
  expect(isRefused(refused('PERMISSION_MISSING'))).toBe(true)
})
