import type { TObject, TSchema } from 'typebox'
import { CODES } from '../errors/codes.ts'
import { ErrorEnvelope } from '../errors/envelope.ts'
import { REASONS, type Reason, type ReasonEntry } from '../errors/reasons.ts'
import { OPERATIONS } from '../operations/table.ts'
import { isAllOptional, reasonsOf, type Operation } from '../operations/operation.ts'

type Json = { [key: string]: unknown }

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The OpenAPI 3.1 document of the whole contract, as plain JSON. */
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
        'Pre-alpha: it can change without notice. Numbers of 64 bits are strings; requests may also spell them as bare integers. ' +
        'Every answer that is not a success has the Error body.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }, { session: [] }],
    tags: [...new Set(OPERATIONS.map((operation) => operation.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: skn_<key id>.<secret>.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-skein',
          description: 'What signIn sets in a browser; `skein` where the service is not behind HTTPS.',
        },
      },
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
      ...(operation.isMutation ? [idempotencyKey] : []),
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
    responses: {
      200: {
        description: 'Success.',
        content: {
          [mediaType]: {
            schema: components.reference(operation.response),
            example: operation.streams ? asServerSentEvent(operation) : operation.example.response,
          },
        },
      },
      ...errorResponses(reasonsOf(operation), components),
    },
  }
}

function asServerSentEvent({ example }: Operation): string {
  return `data: ${JSON.stringify(example.response)}\n\n`
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same key with the same body within 24 hours is carried out once and answered alike.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
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

/** One entry for each HTTP status, listing the reasons that it can have. */
function errorResponses(reasons: readonly Reason[], components: Components): Json {
  const byStatus = new Map<number, Reason[]>()
  for (const reason of reasons) {
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
          content: { 'application/json': { schema: components.reference(ErrorEnvelope) } },
          'x-skein-reasons': names,
        },
      ]),
  )
}

/** Collects each named schema once, and puts a reference where it is used. */
class Components {
  readonly #schemas = new Map<string, { source: string; json: unknown }>()

  reference(schema: TSchema): unknown {
    return this.#hoist(schema)
  }

  all(): Json {
    return Object.fromEntries(
      [...this.#schemas.entries()]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, { json }]) => [name, json]),
    )
  }

  #hoist(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#hoist(item))
    if (!isJson(value)) return value
    const { $id, ...rest } = value
    if (typeof $id !== 'string') return this.#hoistFields(rest)
    const known = this.#schemas.get($id)
    // Compared by content: Type.Optional makes a copy of the schema.
    const source = JSON.stringify(rest)
    if (known && known.source !== source) throw new Error(`Two schemas are named ${$id}`)
    if (!known) {
      const entry: { source: string; json: unknown } = { source, json: undefined }
      this.#schemas.set($id, entry)
      entry.json = this.#hoistFields(rest)
    }
    return { $ref: `#/components/schemas/${$id}` }
  }

  #hoistFields(fields: Json): Json {
    return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, this.#hoist(field)]))
  }
}
