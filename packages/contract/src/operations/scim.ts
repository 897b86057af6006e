import { Type } from 'typebox'
import { MIB, type Operation } from './operation.ts'

type Method = Operation['method']

const METHODS = {
  list: 'GET',
  read: 'GET',
  create: 'POST',
  replace: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
} as const satisfies Record<string, Method>

/** What SCIM (RFC 7644) does with users and groups. */
type ScimAction = keyof typeof METHODS

export interface ScimOperation extends Operation {
  readonly resource: 'User' | 'Group'
  readonly action: ScimAction
}

const ACTIONS: readonly ScimAction[] = ['list', 'read', 'create', 'replace', 'patch', 'delete']

const COMMON = {
  tag: 'identity',
  description: 'As RFC 7644 has it.',
  permission: 'people.provision',
  response: Type.Unknown(),
  isMutation: false,
  bodyLimitBytes: MIB,
  reasons: [],
  example: { response: {} },
} as const

const name = (action: ScimAction, resource: string) =>
  `${action}Scim${resource}${action === 'list' ? 's' : ''}`

function define(resource: ScimOperation['resource'], action: ScimAction): ScimOperation {
  const isOne = action !== 'list' && action !== 'create'
  const summary = `${action[0]?.toUpperCase()}${action.slice(1)} ${action === 'list' ? `${resource.toLowerCase()}s` : `a ${resource.toLowerCase()}`} over SCIM`
  return {
    ...COMMON,
    id: name(action, resource),
    resource,
    action,
    method: METHODS[action],
    path: `/v1/scim/${resource}s${isOne ? '/{id}' : ''}`,
    summary,
  }
}

/**
 * Another protocol beside our own: requests, responses and errors have the form of RFC 7643 and 7644, so these are in
 * no OpenAPI document and no client of ours.
 */
export const SCIM_OPERATIONS: readonly ScimOperation[] = (['User', 'Group'] as const).flatMap((resource) =>
  ACTIONS.map((action) => define(resource, action)),
)

/** What a SCIM client reads first: what the service supports. */
export const SCIM_DISCOVERY: Operation = {
  ...COMMON,
  id: 'describeScim',
  method: 'GET',
  path: '/v1/scim/{document}',
  summary: 'Describe what is supported over SCIM',
}
