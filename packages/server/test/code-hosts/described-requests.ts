import type { HostFetch, HostRequest } from '@skein/engine'
import { Compile, type Validator } from 'typebox/schema'
import description from './github-operations.json' with { type: 'json' }

interface Described {
  readonly name: string
  readonly method: string
  readonly path: RegExp
  readonly names: readonly string[]
  readonly parameters: { readonly path: Fields; readonly query: Fields }
  readonly body: Fields | undefined
  readonly isBodyRequired: boolean
}

type Fields = Readonly<Record<string, unknown>>

const GRAPH = {
  type: 'object',
  properties: { query: { type: 'string' }, variables: { type: 'object' } },
  required: ['query'],
  additionalProperties: false,
}

const OPERATIONS = Object.entries(description.operations).map(([name, operation]) =>
  toDescribed(name, operation),
)

/** Every request to GitHub, checked against GitHub's own description of its API: see scripts/github-operations.ts. */
export class DescribedRequests {
  /** What a real GitHub would not understand, one line each. */
  readonly problems = new Set<string>()
  readonly #apiUrl: string
  readonly #compiled = new Map<Fields, Validator>()

  constructor(apiUrl: string) {
    this.#apiUrl = apiUrl
  }

  /** Notes each request on its way. */
  through(fetch: HostFetch): HostFetch {
    return (input, init) => {
      this.note(input, init)
      return fetch(input, init)
    }
  }

  note(input: Parameters<HostFetch>[0], init: HostRequest = {}): void {
    const url = input instanceof Request ? input.url : input.toString()
    // Logs are elsewhere, where the host says.
    if (init.isElsewhere === true || !url.startsWith(`${this.#apiUrl}/`)) return
    const method = init.method ?? 'GET'
    const { pathname: whole, searchParams } = new URL(url)
    const pathname = whole.slice(new URL(this.#apiUrl).pathname.replace(/\/$/, '').length)
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined
    const what = `${method} ${pathname}`
    if (what === 'POST /graphql') return this.#check(what, 'body', GRAPH, body)
    const found = OPERATIONS.find((operation) => operation.method === method && operation.path.test(pathname))
    if (!found) {
      this.problems.add(`${what}: not among the operations in scripts/github-operations.ts`)
      return
    }
    const { path, query } = found.parameters
    const parts = found.path.exec(pathname)?.slice(1) ?? []
    const inPath = found.names.map((name, index) => [name, decodeURIComponent(parts[index] ?? '')] as const)
    this.#check(found.name, 'path', path, readTexts(path, inPath))
    this.#check(found.name, 'query', query, readTexts(query, [...searchParams]))
    if (body === undefined ? found.isBodyRequired : !found.body)
      this.problems.add(`${found.name}: ${body === undefined ? 'has no body' : 'takes no body'}`)
    else if (body !== undefined && found.body) this.#check(found.name, 'body', found.body, body)
  }

  /** For the end of a test. */
  requireNone(): void {
    if (this.problems.size > 0) throw new Error(`GitHub does not describe:\n${[...this.problems].join('\n')}`)
  }

  #check(name: string, part: string, schema: Fields, value: unknown): void {
    const known = this.#compiled.get(schema)
    const validator = known ?? Compile(schema)
    if (!known) this.#compiled.set(schema, validator)
    if (validator.Check(value)) return
    const [, errors] = validator.Errors(value)
    for (const { instancePath, message, params } of errors)
      this.problems.add(`${name}: ${part}${instancePath} ${message} ${JSON.stringify(params)}`)
  }
}

function toDescribed(
  name: string,
  operation: { path: Fields; query: Fields; body?: Fields; isBodyRequired?: boolean },
): Described {
  const [method = '', template = ''] = name.split(' ')
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, key = '']) => key)
  const pattern = template.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '([^/]+)')
  const { path, query, body, isBodyRequired = false } = operation
  return {
    name,
    method,
    path: new RegExp(`^${pattern}$`),
    names,
    parameters: { path, query },
    body,
    isBodyRequired,
  }
}

/** In a URL everything is text: numbers and flags are read where the schema wants them. */
function readTexts(schema: Fields, texts: readonly (readonly [string, string])[]): Fields {
  const properties: Fields = Object(schema['properties']) as Fields
  const read = texts.map(([key, text]) => {
    const type: unknown = Reflect.get(Object(properties[key]), 'type')
    if (type === 'integer' && /^-?\d+$/.test(text)) return [key, Number(text)]
    if (type === 'boolean' && /^(true|false)$/.test(text)) return [key, text === 'true']
    return [key, text]
  })
  return Object.fromEntries(read) as Fields
}
