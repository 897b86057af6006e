import type { Static, TObject, TSchema } from 'typebox'
import type { Reason } from '../errors/reasons.ts'
import type { Permission } from '../facts/roles.ts'

export type RequestHeader =
  'Prefer' | 'Last-Event-ID' | 'Idempotency-Key' | 'Skein-Position' | 'X-Skein-Justification'

export interface Operation {
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With parameters in braces, such as `/v1/catalog/{ref.kind}`. */
  readonly path: string
  readonly tag:
    | 'identity'
    | 'tenants'
    | 'sessions'
    | 'catalog'
    | 'audit'
    | 'agents'
    | 'follow-ups'
    | 'tasks'
    | 'timeline'
    | 'automations'
    | 'runners'
  readonly summary: string
  readonly description: string
  /** `none` is for operations that check the caller themselves: one gives it its credential, one has its own. */
  readonly permission: Permission | 'none'
  readonly params?: TObject
  readonly query?: TObject
  readonly body?: TObject
  /** Whether it takes a body of any form: it is not parsed, and not validated. */
  readonly acceptsAnyBody?: boolean
  /** Of a success; 200 if absent. */
  readonly successStatus?: 202
  readonly response: TSchema
  /** Headers it reads in addition to those of every mutation. */
  readonly headers?: readonly RequestHeader[]
  readonly setsCookie?: boolean
  /** Whether the response is a stream of events rather than one JSON body. */
  readonly streams?: boolean
  /** Mutations accept an Idempotency-Key. */
  readonly isMutation: boolean
  readonly bodyLimitBytes: number
  /** Specific to this operation. Those common to all are in COMMON_REASONS. */
  readonly reasons: readonly Reason[]
  readonly example: { readonly path?: string; readonly request?: unknown; readonly response: unknown }
}

/** Request and response types of an operation: `BodyOf<typeof stopTurn>`. */
export type ParamsOf<Op> = Op extends { readonly params: infer Schema extends TSchema }
  ? Static<Schema>
  : undefined
export type QueryOf<Op> = Op extends { readonly query: infer Schema extends TSchema }
  ? Static<Schema>
  : undefined
export type BodyOf<Op> = Op extends { readonly body: infer Schema extends TSchema }
  ? Static<Schema>
  : undefined
export type ResponseOf<Op extends Operation> = Static<Op['response']>

export const MIB = 1024 * 1024

const defaults = { isMutation: false, bodyLimitBytes: MIB } as const

export function defineOperation<const Definition extends Omit<Operation, 'isMutation' | 'bodyLimitBytes'>>(
  definition: Definition & Partial<Pick<Operation, 'isMutation' | 'bodyLimitBytes'>>,
): Definition & Pick<Operation, 'isMutation' | 'bodyLimitBytes'> {
  return { ...defaults, ...definition }
}

/** Whether an empty body is valid. */
export function isAllOptional({
  required = [],
}: {
  readonly required?: readonly string[] | undefined
}): boolean {
  return required.length === 0
}

/** Possible for every operation. */
export const COMMON_REASONS: readonly Reason[] = [
  'REQUEST_INVALID',
  'CREDENTIAL_MISSING',
  'CREDENTIAL_INVALID',
  'TENANT_SUSPENDED',
  'PERMISSION_MISSING',
  'CROSS_SITE_REQUEST',
  'RATE_LIMITED',
  'SERVER_OVERLOADED',
  'SERVER_STOPPING',
  'TREE_BUSY',
  'DATABASE_BUSY',
  'DATABASE_UNAVAILABLE',
  'TENANT_MOVING',
  'TENANT_MOVED',
  'INTERNAL_ERROR',
]

/** Also possible for every operation with a body. */
export const BODY_REASONS: readonly Reason[] = ['JSON_INVALID', 'MEDIA_TYPE_UNSUPPORTED', 'BODY_TOO_LARGE']

/** Also possible for every mutation. */
export const MUTATION_REASONS: readonly Reason[] = [
  'IDEMPOTENCY_KEY_INVALID',
  'IDEMPOTENCY_KEY_REUSED',
  'JUSTIFICATION_REQUIRED',
]

export function reasonsOf(operation: Operation): Reason[] {
  return [
    ...operation.reasons,
    ...(operation.body ? BODY_REASONS : []),
    ...(operation.isMutation ? MUTATION_REASONS : []),
    ...COMMON_REASONS,
  ]
}
