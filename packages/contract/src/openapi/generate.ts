import type { TObject } from 'typebox'
import { CODES } from '../errors/codes.ts'
import { ErrorEnvelope } from '../errors/envelope.ts'
import { REASONS, type Reason, type ReasonEntry } from '../errors/reasons.ts'
import { OPERATIONS } from '../operations/table.ts'
import { isAllOptional, reasonsOf, type Operation } from '../operations/operation.ts'
import { Components, type Json } from './components.ts'
import { headerComponents, headerParameters, responseHeaders } from './headers.ts'
import { TAGS } from './tags.ts'

/** The OpenAPI 3.1 document of the whole contract, as JSON. */
export function generateOpenApi(version: string): Json {
  const components = new Components()
  const paths: Record<string, Json> = {}
  for (const operation of OPERATIONS) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationObject(operation, components),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Skein',
      version,
      summary: 'Runs fleets of long-lived coding agents.',
      description:
        'It may change before 1.0. 64-bit numbers are strings; requests may use bare integers too. ' +
        'Every error response has the Error body.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }, { session: [] }],
    tags: [...new Set(OPERATIONS.map((operation) => operation.tag))].map((name) => ({
      name,
      description: TAGS[name],
    })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: skn_<key id>.<secret>.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-skein',
          description: 'Set by signIn in a browser; named `skein` if the service is not behind HTTPS.',
        },
      },
      headers: headerComponents(),
      schemas: components.all(),
    },
  }
}

function operationObject(operation: Operation, components: Components): Json {
  const mediaType = operation.streams ? 'text/event-stream' : 'application/json'
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: operation.description,
    tags: [operation.tag],
    'x-skein-permission': operation.permission,
    ...(operation.permission === 'none' && { security: [] }),
    parameters: [
      ...parameters(operation.params, 'path', components),
      ...parameters(operation.query, 'query', components),
      ...headerParameters(operation),
    ],
    ...(operation.body && {
      requestBody: {
        required: !isAllOptional(operation.body),
        content: {
          'application/json': {
            schema: components.reference(operation.body),
            ...(operation.example.request !== undefined && { example: operation.example.request }),
          },
        },
      },
    }),
    ...(operation.acceptsAnyBody === true && {
      requestBody: { required: true, content: { 'application/json': { schema: {} } } },
    }),
    responses: {
      [operation.successStatus ?? 200]: {
        description: operation.streams ? 'A stream; the data of each event is one of these.' : 'Success.',
        headers: responseHeaders(200, operation),
        content: {
          [mediaType]: {
            schema: components.reference(operation.response),
            example: operation.example.response,
          },
        },
      },
      ...errorResponses(operation, components),
    },
  }
}

function parameters(schema: TObject | undefined, place: 'path' | 'query', components: Components): Json[] {
  if (!schema) return []
  const required: readonly string[] = schema.required ?? []
  return Object.entries(schema.properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...('description' in property && { description: property.description }),
    schema: components.reference(property),
  }))
}

/** One entry per HTTP status, with its possible reasons. */
function errorResponses(operation: Operation, components: Components): Json {
  const byStatus = new Map<number, Reason[]>()
  for (const reason of reasonsOf(operation)) {
    const entry: ReasonEntry = REASONS[reason]
    const status = entry.httpStatus ?? CODES[entry.code].httpStatus
    byStatus.set(status, [...(byStatus.get(status) ?? []), reason])
  }
  return Object.fromEntries(
    [...byStatus.entries()]
      .sort(([left], [right]) => left - right)
      .map(([status, names]) => [
        status,
        {
          description: names.map((name) => `${name}: ${REASONS[name].summary}`).join('\n\n'),
          headers: responseHeaders(status, operation),
          content: { 'application/json': { schema: components.reference(ErrorEnvelope) } },
          'x-skein-reasons': names,
        },
      ]),
  )
}
