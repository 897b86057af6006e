import { Type, type Static } from 'typebox'
import { MAX_NAME_LENGTH } from '../facts/names.ts'
import { InputFormat } from '../catalog/kind.ts'
import { Provider, TenantInput } from '../schemas/identity.ts'
import {
  Base64,
  Choice,
  Flag,
  Int64,
  Name,
  request,
  response,
  Text,
  Timestamp,
} from '../schemas/primitives.ts'
import { payload, storedPayload } from './examples.ts'
import { defineOperation, MIB } from './operation.ts'
import { pageQuery, nextPageToken } from './paging.ts'

const kindParam = { 'ref.kind': Name('The kind.') }
const refParams = { ...kindParam, 'ref.name': Name('The name within the kind.') }

export const tenantQuery = {
  'ref.tenant.provider': Type.Optional(Provider),
  'ref.tenant.org': Type.Optional(Text('The tenant’s organization; default: yours.', { maxLength: 255 })),
}

export const justification = Type.Optional(
  Text('Why; goes into the audit log. Operators must give one.', { maxLength: 4096 }),
)

const ifGenerationMatch = Int64(
  'Proceed only if the resource is at this generation; 0 means that it must not exist.',
  { minimum: 0 },
)
const generation = Int64('The version; 0 for a built-in.')
const documentPayload = Base64('The document, as base64-encoded JSON.')

export const Resource = response(
  'Resource',
  { kind: Text('The kind.'), payload: documentPayload, inputFormat: InputFormat, generation },
  { description: 'One document of the catalog.' },
)
export type Resource = Static<typeof Resource>

export const WriteResourceRequest = request('WriteResourceRequest', {
  ref: Type.Optional(
    request(
      undefined,
      {
        tenant: Type.Optional(TenantInput),
        kind: Type.Optional(Text('The kind, as in the path.', { maxLength: MAX_NAME_LENGTH })),
        name: Type.Optional(Text('The name, as in the path.', { maxLength: MAX_NAME_LENGTH })),
      },
      { description: 'Whose catalog. Kind and name are in the path; they may be repeated here.' },
    ),
  ),
  payload: Type.Optional(documentPayload),
  updateMask: Type.Optional(
    Text('Empty or *: the payload replaces the document. Otherwise only the named fields change.', {
      maxLength: 16_384,
    }),
  ),
  justification,
  ifGenerationMatch: Type.Optional(ifGenerationMatch),
})
export type WriteResourceRequest = Static<typeof WriteResourceRequest>

export const WriteResourceResponse = response('WriteResourceResponse', {
  payload: documentPayload,
  generation,
})
export type WriteResourceResponse = Static<typeof WriteResourceResponse>

export const writeResource = defineOperation({
  id: 'writeResource',
  method: 'POST',
  path: '/v1/catalog/{ref.kind}/{ref.name}',
  tag: 'catalog',
  summary: 'Write a resource',
  description:
    'Creates or changes a resource. With ifGenerationMatch, nothing is written unless the resource is still at that generation. ' +
    'A one-time secret is only in this response.',
  permission: 'catalog.write',
  isMutation: true,
  bodyLimitBytes: 4 * MIB,
  params: request(undefined, refParams),
  body: WriteResourceRequest,
  response: WriteResourceResponse,
  reasons: [
    'KIND_UNKNOWN',
    'KIND_READ_ONLY',
    'RESOURCE_NOT_FOUND',
    'GENERATION_MISMATCH',
    'DOCUMENT_INVALID',
    'UPDATE_MASK_INVALID',
    'ROLE_NOT_GRANTABLE',
  ],
  example: {
    path: '/v1/catalog/persona/reviewer',
    request: { payload, ifGenerationMatch: '0' },
    response: { payload: storedPayload, generation: '1' },
  },
})

export const readResource = defineOperation({
  id: 'readResource',
  method: 'GET',
  path: '/v1/catalog/{ref.kind}/{ref.name}',
  tag: 'catalog',
  summary: 'Read a resource',
  description: 'Returns the document and its generation, read together.',
  permission: 'catalog.read',
  params: request(undefined, refParams),
  query: request(undefined, tenantQuery),
  response: Resource,
  reasons: ['KIND_UNKNOWN', 'RESOURCE_NOT_FOUND'],
  example: {
    path: '/v1/catalog/persona/reviewer',
    response: {
      kind: 'persona',
      payload: storedPayload,
      inputFormat: 'INPUT_FORMAT_MARKDOWN',
      generation: '1',
    },
  },
})

export const deleteResource = defineOperation({
  id: 'deleteResource',
  method: 'DELETE',
  path: '/v1/catalog/{ref.kind}/{ref.name}',
  tag: 'catalog',
  summary: 'Delete a resource',
  description: 'Rejected while another resource refers to it. Its history stays.',
  permission: 'catalog.write',
  isMutation: true,
  params: request(undefined, refParams),
  query: request(undefined, {
    ...tenantQuery,
    ifGenerationMatch: Type.Optional(ifGenerationMatch),
    justification: Type.Optional(Text('Why; goes into the audit log.', { maxLength: 4096 })),
  }),
  response: response('DeleteResourceResponse', {}),
  reasons: [
    'KIND_UNKNOWN',
    'KIND_READ_ONLY',
    'RESOURCE_NOT_FOUND',
    'GENERATION_MISMATCH',
    'RESOURCE_REFERENCED',
    'RESOURCE_IN_USE',
    'BUILT_IN_NOT_DELETABLE',
    'ROLE_NOT_GRANTABLE',
  ],
  example: { path: '/v1/catalog/persona/reviewer?ifGenerationMatch=1', response: {} },
})

export const ResourceListEntry = response('ResourceListEntry', {
  name: Text('The name within the kind.'),
  payload: documentPayload,
  generation,
  builtIn: Flag('Whether it is a built-in that the tenant has not shadowed.'),
})
export type ResourceListEntry = Static<typeof ResourceListEntry>

export const listResources = defineOperation({
  id: 'listResources',
  method: 'GET',
  path: '/v1/catalog/{ref.kind}',
  tag: 'catalog',
  summary: 'List the resources of a kind',
  description: 'By name, built-ins included.',
  permission: 'catalog.read',
  params: request(undefined, kindParam),
  query: request(undefined, { ...tenantQuery, ...pageQuery }),
  response: response('ListResourcesResponse', {
    kind: Text('The kind.'),
    inputFormat: InputFormat,
    entries: Type.Array(ResourceListEntry),
    nextPageToken,
  }),
  reasons: ['TENANT_NOT_FOUND', 'KIND_UNKNOWN', 'PAGE_TOKEN_INVALID'],
  example: {
    path: '/v1/catalog/persona',
    response: {
      kind: 'persona',
      inputFormat: 'INPUT_FORMAT_MARKDOWN',
      entries: [{ name: 'reviewer', payload: storedPayload, generation: '1', builtIn: false }],
      nextPageToken: '',
    },
  },
})

export const ResourceVersion = response('ResourceVersion', {
  generation,
  action: Choice(
    ['ACTION_UNSPECIFIED', 'ACTION_CREATED', 'ACTION_UPDATED', 'ACTION_DELETED'],
    'The operation that created this version.',
  ),
  payload: documentPayload,
  updateTime: Timestamp('When.'),
  updatedBy: Text('The account.'),
  justification: Text('Why, if a reason was given.'),
})
export type ResourceVersion = Static<typeof ResourceVersion>

export const resourceHistory = defineOperation({
  id: 'resourceHistory',
  method: 'GET',
  path: '/v1/catalog/{ref.kind}/{ref.name}/history',
  tag: 'catalog',
  summary: 'List the versions of a resource',
  description: 'Newest first, deletions included. A deleted resource keeps its history.',
  permission: 'catalog.read',
  params: request(undefined, refParams),
  query: request(undefined, { ...tenantQuery, ...pageQuery }),
  response: response('ResourceHistoryResponse', {
    kind: Text('The kind.'),
    name: Text('The name.'),
    entries: Type.Array(ResourceVersion),
    nextPageToken,
  }),
  reasons: ['KIND_UNKNOWN', 'RESOURCE_NOT_FOUND', 'PAGE_TOKEN_INVALID'],
  example: {
    path: '/v1/catalog/persona/reviewer/history',
    response: {
      kind: 'persona',
      name: 'reviewer',
      entries: [
        {
          generation: '1',
          action: 'ACTION_CREATED',
          payload: storedPayload,
          updateTime: '2026-11-15T09:30:00.000Z',
          updatedBy: 'ada',
          justification: '',
        },
      ],
      nextPageToken: '',
    },
  },
})

export const listKinds = defineOperation({
  id: 'listKinds',
  method: 'GET',
  path: '/v1/catalog',
  tag: 'catalog',
  summary: 'List the kinds',
  description: 'Each with the JSON Schema of its documents and the format people write them in.',
  permission: 'catalog.read',
  response: response('ListKindsResponse', {
    kinds: Type.Array(
      response('KindDescription', {
        kind: Text('The kind.'),
        summary: Text('What it is for.'),
        inputFormat: InputFormat,
        bodyField: Text('For Markdown: the field with the text below the front matter.'),
        oneTimeSecret: Text(
          'The field of a write’s response that contains a one-time secret; empty if there is none.',
        ),
        schema: Type.Object({}, { additionalProperties: true, description: 'The JSON Schema (2020-12).' }),
      }),
    ),
  }),
  reasons: [],
  example: {
    response: {
      kinds: [
        {
          kind: 'quota',
          summary: 'The limits of the tenant. The one named default is in force.',
          inputFormat: 'INPUT_FORMAT_YAML',
          bodyField: '',
          oneTimeSecret: '',
          schema: { type: 'object' },
        },
      ],
    },
  },
})
