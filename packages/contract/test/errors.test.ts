import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CODES,
  ERROR_DOMAIN,
  ErrorEnvelope,
  REASONS,
  SkeinError,
  toEnvelope,
  validatorFor,
  type Reason,
  type ReasonEntry,
} from '../src/index.ts'

const entries: [string, ReasonEntry][] = Object.entries(REASONS)
const reason = fc.constantFrom(...(Object.keys(REASONS) as Reason[]))
const violation = fc.record({ field: fc.string(), description: fc.string() })

describe('codes', () => {
  it('are the canonical numbers with their HTTP statuses', () => {
    expect(
      Object.fromEntries(
        Object.entries(CODES).map(([name, code]) => [name, `${code.number}/${code.httpStatus}`]),
      ),
    ).toEqual({
      CANCELLED: '1/499',
      INVALID_ARGUMENT: '3/400',
      DEADLINE_EXCEEDED: '4/504',
      NOT_FOUND: '5/404',
      ALREADY_EXISTS: '6/409',
      PERMISSION_DENIED: '7/403',
      RESOURCE_EXHAUSTED: '8/429',
      FAILED_PRECONDITION: '9/400',
      ABORTED: '10/409',
      UNIMPLEMENTED: '12/501',
      INTERNAL: '13/500',
      UNAVAILABLE: '14/503',
      UNAUTHENTICATED: '16/401',
    })
  })
})

describe('reasons', () => {
  it.each(entries)('%s has a code that exists, a meaning and a remedy', (name, entry) => {
    expect(name).toMatch(/^[A-Z][A-Z_]{0,61}[A-Z]$/)
    expect(Object.keys(CODES)).toContain(entry.code)
    expect(entry.summary).toMatch(/\.$/)
    expect(entry.remedy).toMatch(/\.$/)
  })

  it('have an HTTP status of their own only in the class of an error', () => {
    for (const [, { httpStatus = 400 }] of entries) expect(httpStatus).toBeGreaterThanOrEqual(400)
    expect(new SkeinError('BODY_TOO_LARGE').httpStatus).toBe(413)
    expect(new SkeinError('MEDIA_TYPE_UNSUPPORTED').httpStatus).toBe(415)
    expect(new SkeinError('METHOD_NOT_ALLOWED').httpStatus).toBe(405)
  })

  it.each([
    ['AGENT_NOT_RUNNING', 'NOT_FOUND'],
    ['AGENT_NOT_FOUND', 'NOT_FOUND'],
    ['MODEL_SETTINGS_INVALID', 'INVALID_ARGUMENT'],
    ['BUILD_LACKS_DEFERRAL', 'FAILED_PRECONDITION'],
    ['RUN_NOT_CURRENT', 'INVALID_ARGUMENT'],
    ['GENERATION_MISMATCH', 'FAILED_PRECONDITION'],
    ['CREDENTIAL_MISSING', 'UNAUTHENTICATED'],
    ['CREDENTIAL_INVALID', 'UNAUTHENTICATED'],
    ['PERMISSION_MISSING', 'PERMISSION_DENIED'],
  ] as const)('%s keeps the code that the contract promises', (name, code) => {
    expect(new SkeinError(name).code).toBe(code)
  })
})

describe('the error envelope', () => {
  it('has the shape of google.rpc.Status with its standard details', () => {
    const error = new SkeinError('QUOTA_EXCEEDED', {
      message: 'The tenant has 200 live agents, which is its limit.',
      metadata: { limit: 'liveAgents' },
      violations: [{ field: 'agentId', description: 'one too many' }],
      retryDelayMs: 1500,
    })
    expect(toEnvelope(error)).toEqual({
      code: 8,
      message: 'The tenant has 200 live agents, which is its limit.',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'QUOTA_EXCEEDED',
          domain: ERROR_DOMAIN,
          metadata: { limit: 'liveAgents' },
        },
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: 'agentId', description: 'one too many' }],
        },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1.5s' },
      ],
    })
  })

  it('always names the reason, and is valid for every error there can be', () => {
    const facts = fc.record(
      {
        message: fc.string(),
        violations: fc.array(violation),
        metadata: fc.dictionary(fc.string(), fc.string()),
        retryDelayMs: fc.nat(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(reason, facts, (name, given) => {
        const envelope = toEnvelope(new SkeinError(name, given))
        expect(validatorFor(ErrorEnvelope).violations(envelope)).toEqual([])
        expect(envelope.code).toBe(CODES[REASONS[name].code].number)
        expect(envelope.details[0]).toMatchObject({ reason: name, domain: ERROR_DOMAIN })
      }),
    )
  })

  it('never reveals the cause, the stack or anything else meant for the log', () => {
    const cause = new Error('password=hunter2')
    const error = new SkeinError('INTERNAL_ERROR', { cause })
    const text = JSON.stringify(toEnvelope(Object.assign(error, { sql: 'hunter2' })))
    expect(error.cause).toBe(cause)
    expect(text).not.toContain('hunter2')
    expect(text).not.toContain('errors.test.ts')
    expect(JSON.parse(text)).toMatchObject({ message: REASONS.INTERNAL_ERROR.summary })
  })

  it('passes on only field and description of a violation', () => {
    const noted = { field: 'a', description: 'b', value: 'hunter2' }
    const text = JSON.stringify(toEnvelope(new SkeinError('REQUEST_INVALID', { violations: [noted] })))
    expect(text).not.toContain('hunter2')
  })
})
