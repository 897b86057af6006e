import { OPERATIONS, REASONS, type Operation } from '../../packages/contract/src/index.ts'
import { blocks, code, fence, GENERATED, json, linkTo, prose, table } from './markdown.ts'
import { descriptionOf, fieldsOf, limitText, typeText, type Mention, type Schema } from './schema-text.ts'
import { NamedTypes } from './named-types.ts'

const operations: readonly Operation[] = OPERATIONS
const tags = [...new Set(operations.map(({ tag }) => tag))]

const TITLES: Readonly<Record<Operation['tag'], string>> = {
  identity: 'The caller',
  tenants: 'Tenants',
  sessions: 'Sessions and share links',
  agents: 'Agents',
  'follow-ups': 'Follow-ups',
  tasks: 'Tasks',
  timeline: 'Timeline',
  catalog: 'Catalog',
  audit: 'Audit',
  automations: 'Automations',
  runners: 'Runners',
}

const conventions = `The API is HTTP with JSON bodies. [openapi.json](../openapi.json) describes it in machine-readable form.

- **Key.** Each request carries the header \`Authorization: Bearer $SKEIN_API_KEY\`. The examples take the server's URL from \`SKEIN_URL\`.
- **Unknown fields** in a request are rejected, so that a typo is not silently ignored. In a response, ignore fields that you do not know.
- **int64** values are strings in every response, such as \`"7"\`. Requests may use bare numbers too.
- **Timestamps** are RFC 3339 with any offset in a request, and UTC with milliseconds in a response. **Durations** are seconds such as \`90s\`. **base64** is standard or URL-safe, padded or not, in a request.
- **Every field** of a response is always present; an empty value means that there is none. \`null\` is never used.
- **Retries.** An operation that changes something takes the header \`Idempotency-Key\`: a request with the same key and body within 24 hours is carried out once, and gets the same response. Rejections are repeated too, unless they are retryable: after fixing the cause, use a new key.
- **Errors** all have the same format. [errors.md](errors.md) explains it and lists every reason. Below, each operation lists only its specific reasons; any operation can also fail for the common ones.`

export function apiReference(): string {
  const types = new NamedTypes()
  const chapters = tags.map((tag) => chapter(tag, types.mention))
  return blocks(
    GENERATED,
    '# API',
    conventions,
    '## Operations',
    table(['Operation', 'Method and path', 'Permission'], operations.map(overviewRow)),
    ...chapters,
    '## Types',
    'Types that the tables above refer to.',
    types.describe(),
  )
}

function overviewRow({ summary, method, path, permission }: Operation): string[] {
  return [linkTo(summary), code(`${method} ${path}`), code(permission)]
}

function chapter(tag: Operation['tag'], mention: Mention): string {
  const own = operations.filter((operation) => operation.tag === tag)
  return blocks(`## ${TITLES[tag]}`, ...own.map((operation) => section(operation, mention)))
}

function section(operation: Operation, mention: Mention): string {
  return blocks(
    `### ${operation.summary}`,
    `${code(`${operation.method} ${operation.path}`)}, operation ${code(operation.id)}, needs ${code(operation.permission)}`,
    prose(operation.description),
    requestFields('In the path:', operation.params, mention),
    requestFields('In the query:', operation.query, mention),
    requestFields('In the body:', operation.body, mention),
    responseFields(operation, mention),
    reasonList(operation),
    fence('sh', curl(operation)),
    json(operation.example.response),
  )
}

function requestFields(title: string, schema: object | undefined, mention: Mention): string {
  if (schema === undefined) return ''
  const rows = fieldsOf(schema).map((field) => [
    `${code(field.name)}${field.isRequired ? ' (required)' : ''}`,
    typeText(field.schema, mention),
    [descriptionOf(field.schema), limitText(field.schema)].join(' ').trim(),
  ])
  return blocks(title, table(['Field', 'Type', 'Meaning'], rows))
}

function responseFields(operation: Operation, mention: Mention): string {
  const schema: Schema = { ...operation.response }
  if (operation.streams) return `The response is a stream of ${typeText(schema, mention)}, one per event.`
  const fields = fieldsOf(schema)
  if (fields.length === 0) return 'The response is an empty object.'
  if (isSharedType(operation)) return `The response is ${typeText(schema, mention)}.`
  const rows = fields.map((field) => [
    code(field.name),
    typeText(field.schema, mention),
    descriptionOf(field.schema),
  ])
  return blocks('In the response:', table(['Field', 'Type', 'Meaning'], rows))
}

/** A large response type that is also used elsewhere is described once, under Types. */
function isSharedType({ response }: Operation): boolean {
  const name: unknown = '$id' in response ? response.$id : undefined
  return typeof name === 'string' && !name.endsWith('Response')
}

function reasonList({ reasons }: Operation): string {
  if (reasons.length === 0) return ''
  const rows = reasons.map((reason) => [linkTo(reason, 'errors.md'), prose(REASONS[reason].summary)])
  return table(['Fails with', 'When'], rows)
}

function curl({ method, path, body, streams, example }: Operation): string {
  const url = `"$SKEIN_URL${example.path ?? path}"`
  const lines = [
    `curl ${streams ? '-N ' : ''}${method === 'GET' ? '' : `-X ${method} `}${url}`,
    `-H "Authorization: Bearer $SKEIN_API_KEY"`,
    ...(body ? [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(example.request)}'`] : []),
  ]
  return lines.join(' \\\n  ')
}
