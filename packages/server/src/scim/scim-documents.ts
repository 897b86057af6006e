/** What RFC 7643 and 7644 have a service say about itself. */

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const SCHEMAS = { user: USER, group: GROUP } as const
export const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
export const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** Of a list. */
export const MAX_RESULTS = 200

interface Attribute {
  readonly name: string
  readonly type?: 'string' | 'boolean' | 'complex' | 'reference'
  readonly multiValued?: boolean
  readonly required?: boolean
  readonly caseExact?: boolean
  readonly mutability?: 'readOnly' | 'readWrite'
  readonly returned?: 'default' | 'always'
  readonly uniqueness?: 'none' | 'server'
  readonly description: string
  readonly subAttributes?: readonly object[]
}

const attribute = (given: Attribute): object => ({
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...given,
})

const ID = attribute({
  name: 'id',
  caseExact: true,
  mutability: 'readOnly',
  returned: 'always',
  uniqueness: 'server',
  description: 'Set by the service.',
})

const EXTERNAL_ID = attribute({
  name: 'externalId',
  caseExact: true,
  uniqueness: 'server',
  description: 'The directory’s own id.',
})

const SCHEMA_DOCUMENTS: readonly { readonly id: string; readonly [field: string]: unknown }[] = [
  {
    id: USER,
    name: 'User',
    description: 'A person. Other attributes are accepted and not kept.',
    attributes: [
      ID,
      EXTERNAL_ID,
      attribute({
        name: 'userName',
        required: true,
        uniqueness: 'server',
        description: 'The name at the identity provider.',
      }),
      attribute({ name: 'active', type: 'boolean', description: 'Whether the person may sign in.' }),
      attribute({ name: 'displayName', description: 'For people.' }),
      attribute({
        name: 'name',
        type: 'complex',
        description: 'For people.',
        subAttributes: [
          attribute({ name: 'givenName', description: 'The given name.' }),
          attribute({ name: 'familyName', description: 'The family name.' }),
        ],
      }),
      attribute({
        name: 'emails',
        type: 'complex',
        multiValued: true,
        description: 'Only one is kept: the primary one.',
        subAttributes: [
          attribute({ name: 'value', description: 'The address.' }),
          attribute({ name: 'type', description: 'Always work.' }),
          attribute({ name: 'primary', type: 'boolean', description: 'Always true.' }),
        ],
      }),
    ],
  },
  {
    id: GROUP,
    name: 'Group',
    description: 'People who have the same role or team.',
    attributes: [
      ID,
      EXTERNAL_ID,
      attribute({
        name: 'displayName',
        required: true,
        uniqueness: 'server',
        description: 'What roles and teams of the identity provider’s document compare with.',
      }),
      attribute({
        name: 'members',
        type: 'complex',
        multiValued: true,
        description: 'Users of the directory.',
        subAttributes: [
          attribute({ name: 'value', caseExact: true, description: 'The user’s id.' }),
          attribute({ name: 'display', mutability: 'readOnly', description: 'The user’s userName.' }),
        ],
      }),
    ],
  },
]

const RESOURCE_TYPES = [
  { id: 'User', name: 'User', endpoint: '/Users', description: 'People.', schema: USER },
  { id: 'Group', name: 'Group', endpoint: '/Groups', description: 'Groups of people.', schema: GROUP },
] as const

const toList = (resources: readonly object[]) => ({
  schemas: [LIST],
  totalResults: resources.length,
  startIndex: 1,
  itemsPerPage: resources.length,
  Resources: resources,
})

/** By the path below the base URL. */
export function scimDocuments(baseUrl: string): ReadonlyMap<string, object> {
  const meta = (resourceType: string, path: string) => ({ resourceType, location: `${baseUrl}/${path}` })
  const types = RESOURCE_TYPES.map((type) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    ...type,
    meta: meta('ResourceType', `ResourceTypes/${type.id}`),
  }))
  const schemas = SCHEMA_DOCUMENTS.map((schema) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    ...schema,
    meta: meta('Schema', `Schemas/${schema.id}`),
  }))
  return new Map<string, object>([
    ['ServiceProviderConfig', providerConfig(meta('ServiceProviderConfig', 'ServiceProviderConfig'))],
    ['ResourceTypes', toList(types)],
    ...types.map((type) => [`ResourceTypes/${type.id}`, type] as const),
    ['Schemas', toList(schemas)],
    ...schemas.map((schema) => [`Schemas/${schema.id}`, schema] as const),
  ])
}

function providerConfig(meta: object): object {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MAX_RESULTS },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer key',
        description: 'The key of the directory, in the header Authorization.',
        primary: true,
      },
    ],
    meta,
  }
}
