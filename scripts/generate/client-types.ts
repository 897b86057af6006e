import { isSchema, type Schema } from './schema-text.ts'

/**
 * The SDK's types, generated from the OpenAPI document. A few lines of our own instead of a generator package: the
 * document uses nine shapes of JSON Schema. `@hey-api/openapi-ts` works too, but needs 50 packages and produces
 * three times the lines, without `readonly` and with a second copy of each type that has a server-set field.
 */
export function clientTypes(document: Schema): string {
  const names = reachableNames(document, operationsOf(document))
  const types = declareTypes(names.map((name) => [name, schemaNamed(document, name)]))
  return [HEADER, ...types].join('\n\n')
}

/** What a client needs to send each operation, with the request and response types. */
export function clientOperations(document: Schema): string {
  const operations = operationsOf(document)
  const facts = operations.map(({ id, facts: row }) => `  ${id}: { id: '${id}', ${row} },`)
  const types = operations.map(({ id, types: row }) => `  readonly ${id}: {${row}\n  }`)
  const names = [...new Set(operations.flatMap(({ schemas }) => schemas.flatMap(namesIn)))].sort()
  return [
    HEADER,
    `import type { ${names.join(', ')} } from './types.ts'`,
    `/** What is needed to send an operation. */\nexport const OPERATIONS = {\n${facts.join('\n')}\n} as const`,
    `/** What an operation takes and answers. */\nexport interface OperationTypes {\n${types.join('\n')}\n}`,
  ].join('\n\n')
}

const HEADER = '// Made by `npm run generate` from openapi.json. Do not edit.'

/** Fewer may be the same by chance. */
const MIN_SHARED_FIELDS = 5

interface ClientOperation {
  readonly id: string
  readonly facts: string
  readonly types: string
  readonly schemas: readonly Schema[]
}

/**
 * All except those called by runners, senders of webhooks and identity providers, which are not for other programs, and
 * the exchange of tokens, which takes a form.
 */
function operationsOf(document: Schema): ClientOperation[] {
  return Object.entries(fieldOf(document, 'paths')).flatMap(([path, methods]) =>
    Object.entries(
      isSchema(methods) && !/^\/v1\/(runner|trigger|code-host|session\/logout|token)\//.test(path)
        ? methods
        : {},
    )
      .filter((entry): entry is [string, Schema] => isSchema(entry[1]))
      .map(([method, operation]) => describeOperation(path, method, operation)),
  )
}

function describeOperation(path: string, method: string, operation: Schema): ClientOperation {
  const parameters = listOf(operation, 'parameters').filter(isSchema)
  const answers = fieldOf(fieldOf(fieldOf(operation, 'responses'), '200'), 'content')
  const isStream = 'text/event-stream' in answers
  const body = fieldOf(fieldOf(operation, 'requestBody'), 'content')
  const bodySchema = fieldOf(fieldOf(body, 'application/json'), 'schema')
  const hasBody = 'application/json' in body
  const answer = fieldOf(fieldOf(answers, isStream ? 'text/event-stream' : 'application/json'), 'schema')
  const isMutation = parameters.some((parameter) => parameter['name'] === 'Idempotency-Key')
  const params = parameters.filter((parameter) => parameter['in'] === 'path')
  const query = parameters.filter((parameter) => parameter['in'] === 'query')
  return {
    id: String(operation['operationId']),
    facts:
      `method: '${method.toUpperCase()}', path: '${path}', isMutation: ${isMutation}, ` +
      `streams: ${isStream}, hasBody: ${hasBody}`,
    types: [
      `\n    readonly params: ${params.length > 0 ? parametersText(params) : 'undefined'}`,
      `\n    readonly query: ${query.length > 0 ? parametersText(query) : 'undefined'}`,
      `\n    readonly body: ${hasBody ? typeText(bodySchema) : 'undefined'}`,
      `\n    readonly response: ${typeText(answer)}`,
    ].join(''),
    schemas: [bodySchema, answer, ...query.map((parameter) => fieldOf(parameter, 'schema'))],
  }
}

function parametersText(parameters: readonly Schema[]): string {
  const fields = parameters.map((parameter) =>
    fieldText(String(parameter['name']), fieldOf(parameter, 'schema'), parameter['required'] === true),
  )
  return `{ ${fields.join('; ')} }`
}

function declareTypes(schemas: readonly (readonly [string, Schema])[]): string[] {
  const objects = schemas
    .filter(([, schema]) => Object.keys(fieldOf(schema, 'properties')).length > 0)
    .map(([name, schema]) => ({ name, fields: fieldTexts(schema) }))
  return schemas.map(([name, schema]) => {
    const own = objects.find((object) => object.name === name)
    const text = own ? declareInterface(own, objects) : `export type ${name} = ${typeText(schema)}`
    return `${comment(schema)}${text}`
  })
}

interface ObjectType {
  readonly name: string
  readonly fields: readonly string[]
}

/** A type with everything that another one has extends it, so that each field is written and read once. */
function declareInterface({ name, fields }: ObjectType, all: readonly ObjectType[]): string {
  const base = all
    .filter((other) => other.fields.length >= MIN_SHARED_FIELDS && other.fields.length < fields.length)
    .filter((other) => other.fields.every((field) => fields.includes(field)))
    .toSorted((one, other) => other.fields.length - one.fields.length)[0]
  const own = fields.filter((field) => !base?.fields.includes(field))
  return `export interface ${name}${base ? ` extends ${base.name}` : ''} {\n${own.join('\n')}\n}`
}

function typeText(schema: Schema): string {
  const { $ref: reference, anyOf, type } = schema
  if (typeof reference === 'string') return nameOf(reference)
  if (Array.isArray(anyOf)) return unionText(anyOf.filter(isSchema).map(typeText))
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' | ')
  if ('const' in schema) return JSON.stringify(schema['const'])
  if (type === 'array') return `readonly (${typeText(fieldOf(schema, 'items'))})[]`
  if (type === 'object') return objectText(schema)
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string' || type === 'boolean') return type
  throw new Error(`No type for ${JSON.stringify(schema)}`)
}

/** To the compiler, "a time or empty" is a string. */
function unionText(texts: readonly string[]): string {
  const isString = texts.includes('string')
  return texts.filter((text) => !isString || !text.startsWith('"')).join(' | ')
}

function objectText(schema: Schema): string {
  const valueSchema = schema['additionalProperties']
  if (isSchema(valueSchema)) return `Readonly<Record<string, ${typeText(valueSchema)}>>`
  const fields = fieldTexts(schema)
  return fields.length === 0 ? 'Readonly<Record<string, never>>' : `{\n${fields.join('\n')}\n}`
}

function fieldTexts(schema: Schema): string[] {
  const required = listOf(schema, 'required')
  const fields = Object.entries(fieldOf(schema, 'properties'))
    .filter((entry): entry is [string, Schema] => isSchema(entry[1]))
    .map(([name, field]) => comment(field) + fieldText(name, field, required.includes(name)))
  return schema['additionalProperties'] === true ? [...fields, 'readonly [field: string]: unknown'] : fields
}

/** Absent and undefined fields are the same on the wire, so both are allowed. */
function fieldText(name: string, schema: Schema, isRequired: boolean): string {
  const text = typeText(schema)
  return `readonly ${quote(name)}${isRequired ? `: ${text}` : `?: ${text} | undefined`}`
}

function comment({ description }: Schema): string {
  return typeof description === 'string' ? `/** ${description.replaceAll('*/', '*')} */\n` : ''
}

function reachableNames(document: Schema, operations: readonly ClientOperation[]): string[] {
  const names = new Set<string>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item)
    if (!isSchema(value)) return
    const { $ref: reference } = value
    if (typeof reference === 'string' && !names.has(nameOf(reference))) {
      names.add(nameOf(reference))
      visit(schemaNamed(document, nameOf(reference)))
    }
    for (const field of Object.values(value)) visit(field)
  }
  for (const { schemas } of operations) visit(schemas)
  return [...names].sort()
}

/** The types a schema refers to by name. */
function namesIn(schema: Schema): string[] {
  return typeof schema['$ref'] === 'string' ? [nameOf(schema['$ref'])] : []
}

function schemaNamed(document: Schema, name: string): Schema {
  return fieldOf(fieldOf(fieldOf(document, 'components'), 'schemas'), name)
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

function fieldOf(schema: Schema, name: string): Schema {
  const value = schema[name]
  return isSchema(value) ? value : {}
}

function listOf(schema: Schema, name: string): readonly unknown[] {
  const value = schema[name]
  return Array.isArray(value) ? value : []
}

function quote(name: string): string {
  return /^[a-z_$][\w$]*$/i.test(name) ? name : `'${name}'`
}
