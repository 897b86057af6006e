import { Type } from 'typebox'
import { formatDuration } from '../codecs/duration.ts'
import { response, Text } from '../schemas/primitives.ts'
import { CODES } from './codes.ts'
import type { SkeinError } from './skein-error.ts'

const TYPE_PREFIX = 'type.googleapis.com/google.rpc.'

/** Our domain in ErrorInfo, which makes a reason unique among all services a program uses. */
export const ERROR_DOMAIN = 'skein'

export const ErrorDetail = Type.Object(
  { '@type': Text('Names the type of the detail; the other fields depend on it.') },
  { $id: 'ErrorDetail', additionalProperties: true },
)

export const ErrorEnvelope = response(
  'Error',
  {
    code: Type.Integer({ description: 'The numeric google.rpc code.' }),
    message: Text('The cause, for people.'),
    details: Type.Array(ErrorDetail, {
      description: 'For programs: ErrorInfo with the reason, BadRequest with each field, RetryInfo.',
    }),
  },
  { description: 'The body of every error response.' },
)

export interface ErrorEnvelope {
  code: number
  message: string
  details: { '@type': string; [field: string]: unknown }[]
}

export function toEnvelope(error: SkeinError): ErrorEnvelope {
  const details: ErrorEnvelope['details'] = [
    {
      '@type': `${TYPE_PREFIX}ErrorInfo`,
      reason: error.reason,
      domain: ERROR_DOMAIN,
      metadata: { ...error.metadata },
    },
  ]
  if (error.violations.length > 0) {
    details.push({
      '@type': `${TYPE_PREFIX}BadRequest`,
      fieldViolations: error.violations.map(({ field, description }) => ({ field, description })),
    })
  }
  if (error.retryDelayMs !== undefined) {
    details.push({ '@type': `${TYPE_PREFIX}RetryInfo`, retryDelay: formatDuration(error.retryDelayMs) })
  }
  return { code: CODES[error.code].number, message: error.message, details }
}
