/** The parts of an OpenAPI document that the page shows. */
export interface ApiDocument {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly operations: readonly ApiOperation[]
  readonly schemas: ReadonlyMap<string, Schema>
}

export interface ApiOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  readonly permission: string
  readonly parameters: readonly Parameter[]
  readonly request?: Body
  readonly response: Body
  readonly reasons: readonly string[]
}

interface Parameter {
  readonly name: string
  readonly place: string
  readonly isRequired: boolean
  readonly schema: Schema
}

export interface Body {
  readonly mediaType: string
  readonly schema: Schema
  readonly example?: unknown
}

export type Schema = Readonly<Record<string, unknown>>

export function readApiDocument(document: unknown): ApiDocument {
  const root = fields(document)
  const info = fields(root['info'])
  const schemas = Object.entries(fields(fields(root['components'])['schemas']))
  return {
    title: text(info['title']),
    version: text(info['version']),
    description: text(info['description']),
    operations: Object.entries(fields(root['paths'])).flatMap(([path, methods]) =>
      Object.entries(fields(methods)).map(([method, operation]) =>
        readOperation(method.toUpperCase(), path, fields(operation)),
      ),
    ),
    schemas: new Map(schemas.map(([name, schema]) => [name, fields(schema)])),
  }
}

function readOperation(method: string, path: string, operation: Schema): ApiOperation {
  const responses = fields(operation['responses'])
  const request = readBody(operation['requestBody'])
  const success = Object.keys(responses).find((status) => status.startsWith('2'))
  return {
    id: text(operation['operationId']),
    method,
    path,
    tag: items(operation['tags']).map(text)[0] ?? '',
    summary: text(operation['summary']),
    description: text(operation['description']),
    permission: text(operation['x-skein-permission']),
    parameters: items(operation['parameters']).map((parameter) => readParameter(fields(parameter))),
    ...(request && { request }),
    response: readBody(responses[success ?? '']) ?? NO_BODY,
    reasons: Object.values(responses).flatMap((answer) => items(fields(answer)['x-skein-reasons']).map(text)),
  }
}

const NO_BODY: Body = { mediaType: '', schema: {} }

function readParameter({ name, in: place, required, description, schema }: Schema): Parameter {
  return {
    name: text(name),
    place: text(place),
    isRequired: required === true,
    schema: { ...fields(schema), ...(description !== undefined && { description }) },
  }
}

function readBody(value: unknown): Body | undefined {
  const [content] = Object.entries(fields(fields(value)['content']))
  if (!content) return undefined
  const { schema, example } = fields(content[1])
  return { mediaType: content[0], schema: fields(schema), ...(example !== undefined && { example }) }
}

export function fields(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
