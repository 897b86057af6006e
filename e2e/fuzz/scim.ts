import { SCIM_DISCOVERY, SCIM_OPERATIONS, type Operation, type ScimOperation } from '@skein/contract'

const USER = { userName: 'ada@acme.example.com', externalId: 'ada', active: true, displayName: 'Ada' }
const GROUP = { displayName: 'payments', members: [{ value: 'default' }] }
const PATCH = {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', path: 'active', value: false }],
}
const DOCUMENTS = [
  'ServiceProviderConfig',
  'ResourceTypes',
  'ResourceTypes/User',
  'ResourceTypes/Group',
  'Schemas',
  'Schemas/urn:ietf:params:scim:schemas:core:2.0:User',
  'Schemas/urn:ietf:params:scim:schemas:core:2.0:Group',
]

/** What identity providers send over SCIM: another protocol, whose operations have no example. */
export const SCIM: readonly Operation[] = [
  ...SCIM_OPERATIONS.map((operation) => {
    const request = exampleOf(operation)
    if (!request) return operation
    // Only the names of its fields are used.
    const body = { type: 'object', properties: { ...request } } as unknown as NonNullable<Operation['body']>
    return { ...operation, body, example: { request, response: {} } }
  }),
  ...DOCUMENTS.map((document) => ({ ...SCIM_DISCOVERY, path: `/v1/scim/${document}` })),
]

function exampleOf({ resource, action }: ScimOperation): object | undefined {
  if (action === 'patch') return PATCH
  if (action !== 'create' && action !== 'replace') return undefined
  return resource === 'User' ? USER : GROUP
}

/** What is wrong with an error, if anything. */
export function problemWithScimError(status: number, envelope: unknown): string | undefined {
  const { schemas, status: said } = (envelope ?? {}) as { schemas?: unknown; status?: unknown }
  const isError = Array.isArray(schemas) && schemas[0] === 'urn:ietf:params:scim:api:messages:2.0:Error'
  return isError && said === String(status) ? undefined : 'no error in the form of SCIM'
}
